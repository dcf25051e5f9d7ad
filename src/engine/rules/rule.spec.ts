import { describe, expect, it } from 'vitest';
import { parseFilter } from '../filter/index.js';
import { parseRule, resolveRule } from './rule.js';

const VALUES = {
  'caller.id': 'u1',
  'user.id': 'u1',
  'user.groups': ['editors', '$ne'],
  'org.slug': '${user.id}',
  now: '2026-11-28T21:00:00.000Z',
};

const resolved = (rule: unknown) => resolveRule(parseRule(rule, 'rules.read'), VALUES);

describe('a rule with variables', () => {
  it.each([
    [{ owner: '${user.id}' }, { owner: 'u1' }],
    [{ owner: { $ne: '${caller.id}' } }, { owner: { $ne: 'u1' } }],
    [{ due: { $gt: '${now}' } }, { due: { $gt: VALUES.now } }],
    [{ owner: { $in: ['${user.id}', 'x'] } }, { owner: { $in: ['u1', 'x'] } }],
    [{ team: { $in: '${user.groups}' } }, { team: { $in: ['editors', '$ne'] } }],
    [{ team: { $not: { $nin: '${user.groups}' } } }, { team: { $not: { $nin: ['editors', '$ne'] } } }],
    [{ items: { $elemMatch: { by: '${user.id}' } } }, { items: { $elemMatch: { by: 'u1' } } }],
    [{ ids: { $elemMatch: { $eq: '${user.id}' } } }, { ids: { $elemMatch: { $eq: 'u1' } } }],
    [{ $or: [{ a: 1 }, { $nor: [{ b: '${user.id}' }] }] }, { $or: [{ a: 1 }, { $nor: [{ b: 'u1' }] }] }],
  ])('%j is the filter with the values of the caller', (rule, filter) => {
    expect(resolved(rule)).toEqual(parseFilter(filter));
  });

  it('does not parse a value: a text of an operator or a variable stays a text', () => {
    expect(resolved({ a: '${org.slug}' })).toMatchObject({ test: { kind: 'eq', value: '${user.id}' } });
    expect(resolved({ a: { $in: '${user.groups}' } })).toMatchObject({
      test: { values: ['editors', '$ne'] },
    });
  });

  it.each([
    { email: '${user.email}' },
    { email: { $ne: '${user.email}' } },
    { $nor: [{ email: '${user.email}' }] },
    { $or: [{ a: 1 }, { email: '${user.email}' }] },
  ])('%j holds for no record when the variable has no value', rule => {
    expect(resolved(rule)).toBe(false);
  });

  it('a list takes the place of one value of $all', () => {
    expect(resolved({ a: { $all: '${user.groups}' } })).toMatchObject({
      test: { kind: 'every', tests: [{ kind: 'every', tests: [{ value: 'editors' }, { value: '$ne' }] }] },
    });
  });

  it('matches nothing with an empty list, and everything without one of its values', () => {
    const none = { ...VALUES, 'user.groups': [] };
    const of = (rule: unknown) => resolveRule(parseRule(rule, 'rules.read'), none);
    expect(of({ a: { $in: '${user.groups}' } })).toEqual(parseFilter({ a: { $in: [] } }));
    expect(of({ a: { $nin: '${user.groups}' } })).toEqual(parseFilter({ a: { $nin: [] } }));
    expect(of({ a: { $all: '${user.groups}' } })).toMatchObject({ test: { tests: [{ values: [] }] } });
  });
});

describe('a rule is refused', () => {
  it.each([
    [{}, 'at least one condition'],
    [null, 'true, false'],
    ['${user.id}', 'true, false'],
    [[{ a: 1 }], 'true, false'],
    [{ a: '${user.name}' }, 'is not a variable'],
    [{ a: '${}' }, 'is not a variable'],
    [{ a: 'x ${user.id}' }, 'is not a variable'],
    [{ a: '${user.groups}' }, '$in, $nin or $all'],
    [{ a: { $in: ['${user.groups}'] } }, '$in, $nin or $all'],
    [{ a: { $in: '${user.id}' } }, 'into a list'],
    [{ a: { $in: [['${user.id}']] } }, 'cannot be used here'],
    [{ a: ['${user.id}'] }, 'cannot be used here'],
    [{ a: { b: '${user.id}' } }, 'cannot be used here'],
    [{ a: { $regex: '${user.id}' } }, 'cannot be used here'],
    [{ a: { $search: '${user.id}' } }, 'cannot be used here'],
    [{ $search: '${user.id}' }, 'cannot be used here'],
    [{ a: { $type: '${user.id}' } }, 'cannot be used here'],
    [{ a: { $size: '${user.id}' } }, 'cannot be used here'],
    [{ a: { $mod: ['${user.id}', 1] } }, 'cannot be used here'],
    [{ a: { $exists: '${user.id}' } }, 'cannot be used here'],
    [{ a: { $bitsAllSet: ['${user.id}'] } }, 'cannot be used here'],
    [{ '${user.id}': 1 }, 'cannot be used here'],
    [{ 'a.${user.id}': 1 }, 'is not a variable'],
    [{ a: { $foo: 1 } }, 'rules.read: unknown operator'],
    [{ $or: Array.from({ length: 101 }, (_, value) => ({ value })) }, 'at most 100 conditions'],
  ])('%j', (rule, message) => {
    expect(() => parseRule(rule, 'rules.read')).toThrow(message);
    expect(() => parseRule(rule, 'rules.read')).toThrow('rules.read');
  });
});
