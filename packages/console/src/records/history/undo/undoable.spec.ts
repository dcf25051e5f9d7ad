import { expect, it } from 'vitest';
import { isUndoable, mayUndoVersion } from './undoable.js';

const event = { type: 'collections.records.updated', count: 3 };
const kept = { settings: { history_days: 7 } };

it('offers to undo writes of records, and undos', () => {
  expect(isUndoable(event, kept)).toBe(true);
  expect(isUndoable({ ...event, type: 'collections.records.undone' }, kept)).toBe(true);
});

it.each([
  ['removes records for good', { ...event, type: 'collections.records.erased' }, kept],
  ['concerns no records', { type: 'collections.updated', count: null }, kept],
  ['wrote nothing', { ...event, count: 0 }, kept],
  ['wrote more records than one undo puts back', { ...event, count: 100_001 }, kept],
  ['is of a collection that keeps no history', event, { settings: { history_days: 0 } }],
])('does not offer it if the event %s', (_, refused, info) => {
  expect(isUndoable(refused, info)).toBe(false);
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
