import { describe, expect, it } from 'vitest';
import { afterSaving } from './after-saving.js';
import { type EditedRecord, type StagedRows, withCells, withNewRecord } from './staged-edits.js';

const A: EditedRecord = { kind: 'updated', id: 'a', title: 'A', etag: '"1"' };
const NEW: EditedRecord = { kind: 'inserted', id: 'new', title: 'New' };

const edited = (rows: StagedRows, record: EditedRecord, field: string, before: unknown, value: unknown) =>
  withCells(rows, [{ record, field, before, entered: { value } }]);

describe('after saving', () => {
  const saved = withNewRecord(edited(new Map(), A, 'n', 1, 2), NEW, { n: 5 });
  const answer = {
    event_id: null,
    results: [
      { _id: 'a', operation: 'updated' as const, _etag: '"2"' },
      { _id: 'b', operation: 'inserted' as const, _etag: '"1"' },
    ],
  };

  it('no change is left', () => {
    expect(afterSaving(saved, saved, answer).size).toBe(0);
  });

  it('changes that were made meanwhile are changes of what was saved', () => {
    let now = edited(saved, A, 'n', 1, 3);
    now = edited(now, A, 'm', 'x', 'y');
    now = withNewRecord(now, NEW, { n: 6 });
    now = edited(now, { ...A, id: 'c' }, 'n', 1, 2);
    const left = afterSaving(now, saved, answer);
    expect(left.get('a')).toEqual({
      ...A,
      etag: '"2"',
      fields: { n: { before: 2, after: 3 }, m: { before: 'x', after: 'y' } },
    });
    expect(left.get('b')).toMatchObject({
      kind: 'updated',
      etag: '"1"',
      fields: { n: { before: 5, after: 6 } },
    });
    expect([...left.keys()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('a change that was taken back meanwhile is a change of what was saved', () => {
    const left = afterSaving(edited(saved, A, 'm', 1, 2), edited(saved, A, 'm', 1, 3), answer);
    expect(left.get('a')?.fields).toEqual({ m: { before: 3, after: 2 } });
  });
});
