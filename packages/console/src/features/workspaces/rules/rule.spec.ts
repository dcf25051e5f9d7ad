import { describe, expect, it } from 'vitest';
import { draftOf, isComplete, jsonObjectOf, type Rule, ruleOf, withRule } from './rule.js';

const RULE: Rule = {
  action: ['update', 'delete'],
  subject: ['files'],
  role: 'viewer',
  inverted: true,
  priority: 3,
  conditions: { authorId: '1' },
  fields: ['name', 'address.*'],
  reason: 'Own files.',
};

describe('the form of a rule', () => {
  it('sends what is stored if nothing is changed', () => {
    expect(ruleOf(draftOf(RULE))).toEqual(RULE);
  });

  it('takes one action as a list, and leaves out what is empty', () => {
    expect(ruleOf(draftOf({ action: 'read', subject: 'pages' }))).toEqual({
      action: ['read'],
      subject: ['pages'],
    });
  });

  it('is complete with an action, a subject and conditions that are an object', () => {
    const draft = draftOf(RULE);
    expect(isComplete(draft)).toBe(true);
    expect(isComplete({ ...draft, conditions: ' ' })).toBe(true);
    expect(isComplete({ ...draft, conditions: '[1]' })).toBe(false);
    expect(isComplete({ ...draft, actions: [] })).toBe(false);
  });
});

describe('the rules of a workspace', () => {
  const other: Rule = { action: 'read', subject: 'pages' };
  it('keep their order when one is replaced, added or removed', () => {
    expect(withRule([RULE, other], RULE, other)).toEqual([other, other]);
    expect(withRule([RULE], undefined, other)).toEqual([RULE, other]);
    expect(withRule([RULE, other], RULE, undefined)).toEqual([other]);
  });

  it('are not changed if the rule was changed meanwhile', () => {
    expect(withRule([{ ...RULE, priority: 4 }], RULE, other)).toBeUndefined();
  });
});

describe('a JSON object', () => {
  it.each(['', '{', '1', 'null', '[]'])('is not %j', text => expect(jsonObjectOf(text)).toBeUndefined());
});
