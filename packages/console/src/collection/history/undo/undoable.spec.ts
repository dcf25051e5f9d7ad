import { expect, it } from 'vitest';
import { isUndoable } from './undoable.js';

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
