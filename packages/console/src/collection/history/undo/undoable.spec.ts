import { expect, it } from 'vitest';
import { isUndoable, mayUndoVersion } from './undoable.js';

const event = { type: 'collections.records.updated', count: 3 };

it('offers to undo writes of records, and undos', () => {
  expect(isUndoable(event, 7)).toBe(true);
  expect(isUndoable({ ...event, type: 'collections.records.undone' }, 7)).toBe(true);
});

it.each([
  ['removes records for good', { ...event, type: 'collections.records.erased' }, 7],
  ['concerns no records', { type: 'collections.updated', count: null }, 7],
  ['wrote nothing', { ...event, count: 0 }, 7],
  ['is of a collection that keeps no history', event, 0],
])('does not offer it if the event %s', (_, refused, days) => {
  expect(isUndoable(refused, days)).toBe(false);
});

const collection = (...my_rights: string[]) => ({ my_rights, settings: { history_days: 7 } }) as never;
const version = { event_id: 'e', actor: { type: 'user', id: 'ada', via: 'rest' } } as const;

it('offers administrators to undo the write of any version, and editors their own', () => {
  expect(mayUndoVersion(version, collection('read', 'write', 'manage'), 'bob')).toBe(true);
  expect(mayUndoVersion(version, collection('read', 'write'), 'ada')).toBe(true);
  expect(mayUndoVersion(version, collection('read', 'write'), 'bob')).toBe(false);
  expect(mayUndoVersion(version, collection('read'), 'ada')).toBe(false);
});

it('does not offer it if no event is known, or if the collection keeps no history any more', () => {
  expect(mayUndoVersion({ ...version, event_id: null }, collection('write', 'manage'), 'ada')).toBe(false);
  const ended = { my_rights: ['write', 'manage'], settings: { history_days: 0 } } as never;
  expect(mayUndoVersion(version, ended, 'ada')).toBe(false);
});
