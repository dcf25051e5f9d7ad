import { expect, it } from 'vitest';
import type { FieldType } from '../../values/cell-value.js';
import { refitted } from './refitted.js';
import { type EditedRecord, type StagedRows, withCells } from './staged-edits.js';

const RECORD: EditedRecord = { kind: 'updated', id: 'a', title: 'A', etag: '"1"' };
const staged = (entered: Parameters<typeof withCells>[1][number]['entered']): StagedRows =>
  withCells(new Map(), [{ record: RECORD, field: 'n', before: 'old', entered }]);
const now = (rows: StagedRows, type: FieldType, isNullable = true) =>
  refitted(rows, () => ({ type, isNullable }), 'de').get('a')?.fields.n;

it('a staged value is one of the column as it is now', () => {
  expect(now(staged({ value: 1.5 }), 'text')).toEqual({ before: 'old', after: '1,5' });
  expect(now(staged({ value: '1.234,5' }), 'double')).toEqual({ before: 'old', after: 1234.5 });
  expect(now(staged({ value: '28.02.2026' }), 'date')).toMatchObject({ after: '2026-02-28' });
  expect(now(staged({ text: 'soon', problem: 'integer' }), 'text')).toEqual({ before: 'old', after: 'soon' });
});

it('a staged value that the column cannot have any more is marked', () => {
  expect(now(staged({ value: 'soon' }), 'integer')).toMatchObject({
    misfit: { text: 'soon', problem: 'integer' },
  });
  expect(now(staged({ value: null }), 'text', false)).toMatchObject({ misfit: { problem: 'required' } });
});

it('changes that fit stay as they are, and so do those that are marked for this column', () => {
  for (const rows of [
    staged({ value: 'x' }),
    staged({ value: null }),
    staged({ text: '', problem: 'date' }),
    staged({ value: undefined }),
  ]) {
    const column = {
      type: rows.get('a')?.fields.n?.misfit === undefined ? 'text' : 'date',
      isNullable: true,
    } as const;
    expect(refitted(rows, () => column, 'de')).toBe(rows);
  }
});
