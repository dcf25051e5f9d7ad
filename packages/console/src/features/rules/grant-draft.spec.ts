import { describe, expect, it } from 'vitest';
import { draftOf, hasVariables, isDraftComplete, partsOf } from './grant-draft.js';

describe('The draft of a grant', () => {
  it.each([
    { rules: null, fields: null },
    { rules: { read: true }, fields: null },
    { rules: { read: { team: { $in: '${user.groups}' } }, delete: false }, fields: { read: { margin: 0 } } },
    {
      rules: {
        read: { $or: [{ a: 1 }, { b: { $gt: 2 } }] },
        update: { a: 1, _created_by: '${caller.id}' },
        becomes: true,
      },
      fields: { read: { a: 1, b: 1 }, write: { a: 1 } },
    },
  ])('is saved as it was read: %j', parts => {
    expect(partsOf(draftOf(parts))).toEqual(parts);
  });

  it('is not complete with an empty filter or an empty list of fields, which the service refuses', () => {
    const draft = draftOf({ rules: { read: { a: 1 } } });
    expect(isDraftComplete(draft)).toBe(true);
    const empty = { ...draft.rules.read, model: { ...draft.rules.read.model, items: [] } };
    expect(isDraftComplete({ ...draft, rules: { ...draft.rules, read: empty } })).toBe(false);
    expect(isDraftComplete({ ...draft, write: { mode: 'only', names: [] } })).toBe(false);
  });

  it('sends no rules without one for reading', () => {
    const draft = draftOf({ rules: { read: { a: 1 }, delete: false } });
    const absent = { ...draft.rules.read, mode: 'absent' } as const;
    expect(partsOf({ ...draft, rules: { ...draft.rules, read: absent } }).rules).toBe(null);
  });

  it('knows rules that depend on who asks', () => {
    expect(hasVariables({ a: ['${caller.id}'] })).toBe(true);
    expect(hasVariables({ a: 'caller.id' })).toBe(false);
  });
});
