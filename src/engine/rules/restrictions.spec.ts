import { expect, it } from 'vitest';
import { parseFilter } from '../filter/index.js';
import { type HeldGrant, restrictionsOf } from './restrictions.js';

const VALUES = { 'caller.id': 'u1', 'user.id': 'u1', now: '2026-11-28T21:00:00.000Z' };

function held(parts: HeldGrant['parts'], { writes = true, anonymous = false } = {}): HeldGrant {
  return { parts, writes, anonymous };
}

const restrictions = (...grants: HeldGrant[]) => restrictionsOf(grants, VALUES)?.restrictions;

it('one grant without rules and fields makes a caller unrestricted, action by action', () => {
  const open = held({ limits: { reads_per_minute: 1 } });
  const openReader = held({}, { writes: false });
  const closed = held({ rules: { read: { a: 1 } } });
  expect(restrictions(closed, open)).toBeUndefined();
  expect(restrictions(closed, openReader)).toMatchObject({
    reading: undefined,
    writing: [{ delete: { kind: 'field' } }],
  });
  expect(restrictions(openReader)).toBeUndefined();
  expect(restrictions(held({ rules: { read: true } }, { writes: false }))).toMatchObject({
    reading: [{ read: true }],
    writing: [],
  });
});

it('absent rules are as read where it is a filter, and false otherwise and for anonymous people', () => {
  const filter = parseFilter({ a: 1 });
  const all = { read: filter, create: filter, update: filter, becomes: filter, delete: filter };
  const none = { create: false, update: false, becomes: false, delete: false };
  expect(restrictions(held({ rules: { read: { a: 1 } } }))?.writing).toMatchObject([all]);
  expect(restrictions(held({ rules: { read: true } }))?.writing).toMatchObject([{ read: true, ...none }]);
  expect(restrictions(held({ rules: { read: { a: 1 } } }, { anonymous: true }))?.writing).toMatchObject([
    { read: filter, ...none },
  ]);
  expect(restrictions(held({ rules: { read: true, update: { b: 2 } } }))?.writing).toMatchObject([
    { ...none, update: parseFilter({ b: 2 }), becomes: parseFilter({ b: 2 }) },
  ]);
  expect(restrictions(held({ fields: { read: { b: 0 } } }))?.writing).toMatchObject([
    { read: true, create: true, update: true, becomes: true, delete: true },
  ]);
});

it('fields that are not shown cannot be written; the id and the times are always shown', () => {
  const fieldsOf = (fields: object) => {
    const { shows, writes } = restrictions(held({ fields }))?.reading?.[0] ?? {};
    return [shows, writes];
  };
  const times = ['_id', 'created_at', 'updated_at'];
  expect(fieldsOf({ read: { a: 1, b: 1 }, write: { b: 1, c: 1 } })).toEqual([
    { only: new Set([...times, 'a', 'b']) },
    { only: new Set(['b']) },
  ]);
  expect(fieldsOf({ read: { a: 0, _id: 0 }, write: { a: 1, b: 1 } })).toEqual([
    { without: new Set(['a']) },
    { only: new Set(['b']) },
  ]);
  expect(fieldsOf({ read: { a: 0 }, write: { b: 0 } })).toEqual([
    { without: new Set(['a']) },
    { without: new Set(['a', 'b']) },
  ]);
  expect(fieldsOf({ write: { b: 0 } })).toEqual([undefined, { without: new Set(['b']) }]);
  expect(fieldsOf({ read: { a: 0 } })[1]).toEqual({ without: new Set(['a']) });
});

it('a caller with more than 1,000 conditions reaches no record', () => {
  const rule = { $or: Array.from({ length: 100 }, (_, value) => ({ value })) };
  const grant = () => held({ rules: { read: rule, update: rule } });
  expect(restrictionsOf([grant(), grant(), grant(), grant(), grant()], VALUES)).toMatchObject({
    isTooMany: false,
  });
  expect(restrictionsOf([1, 2, 3, 4, 5, 6].map(grant), VALUES)).toEqual({
    restrictions: { reading: [], writing: [] },
    isTimed: false,
    isTooMany: true,
  });
});

it('tells whether the time is in the rules', () => {
  expect(restrictionsOf([held({ rules: { read: { due: { $lt: '${now}' } } } })], VALUES)?.isTimed).toBe(true);
  expect(restrictionsOf([held({ rules: { read: { a: '${user.id}' } } })], VALUES)?.isTimed).toBe(false);
});

it('a stored part that cannot be parsed opens nothing', () => {
  expect(restrictions(held({ rules: { read: { $new: 1 } } }))?.reading).toMatchObject([
    { read: false, create: false },
  ]);
});
