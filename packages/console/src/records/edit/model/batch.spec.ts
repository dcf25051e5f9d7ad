import { describe, expect, it } from 'vitest';
import { contested, inverseOf, operationsOf, refusalsOf, resolved } from './batch.js';
import type { StagedRow, StagedRows } from './staged-edits.js';

const staged = (...rows: StagedRow[]): StagedRows => new Map(rows.map(row => [row.id, row]));

const EDITED: StagedRow = {
  kind: 'updated',
  id: 'a',
  title: 'Emma',
  etag: '"1"',
  fields: { year: { before: 1815, after: 1816 }, shelf: { before: 7 }, note: { after: null } },
};
const ADDED: StagedRow = {
  kind: 'inserted',
  id: 'new',
  title: 'Sanditon',
  fields: { title: { after: 'Sanditon' } },
};
const ROWS = staged(EDITED, ADDED);

describe('staged changes as operations', () => {
  it('apply to the version that was edited, and remove fields that are absent', () => {
    expect(operationsOf(ROWS)).toEqual([
      {
        update: {
          _id: 'a',
          if_match: '"1"',
          update: { $set: { year: 1816, note: null }, $unset: { shelf: '' } },
        },
      },
      { insert: { title: 'Sanditon' } },
    ]);
  });

  it('are taken back from the version that was saved', () => {
    const results = [
      { _id: 'a', operation: 'updated' as const, _etag: '"2"' },
      { _id: 'b', operation: 'inserted' as const, _etag: '"1"' },
    ];
    expect(inverseOf(ROWS, { results, event_id: null })).toEqual([
      {
        update: {
          _id: 'a',
          if_match: '"2"',
          update: { $set: { year: 1815, shelf: 7 }, $unset: { note: '' } },
        },
      },
      { delete: { _id: 'b', if_match: '"1"' } },
    ]);
  });

  it('are refused at the record and the field', () => {
    const problems = [
      { row: 1, column: 'title', problem: 'must not be null' },
      { row: 1, column: null, problem: 'is too large' },
      { row: 9, column: 'title', problem: 'unknown' },
    ];
    expect(refusalsOf(ROWS, problems, ({ problem }) => problem ?? '')).toEqual(
      new Map([['new', { title: 'must not be null', '': 'is too large' }]]),
    );
  });
});

describe('a record that somebody else changed', () => {
  const theirs = { _id: 'a', _etag: '"9"', year: 1900, title: 'Emma, again', shelf: 7 };

  it('is contested in fields that both changed to different values', () => {
    expect(contested({ row: EDITED, theirs })).toEqual(['year']);
    expect(contested({ row: EDITED, theirs: { ...theirs, year: 1816 } })).toEqual([]);
    expect(contested({ row: EDITED, theirs: undefined })).toEqual([]);
  });

  it('gets the own changes on top, of the chosen fields', () => {
    expect(resolved(ROWS, { row: EDITED, theirs }, { year: 'mine' }).get('a')).toEqual({
      ...EDITED,
      etag: '"9"',
      fields: { year: { before: 1900, after: 1816 }, shelf: { before: 7 }, note: { after: null } },
    });
    const merged = resolved(ROWS, { row: EDITED, theirs }, { year: 'theirs', shelf: 'mine' }).get('a');
    expect(Object.keys(merged?.fields ?? {})).toEqual(['shelf', 'note']);
  });

  it('has no changes left when all of them are given up, made already, or the record is gone', () => {
    const choices = { year: 'theirs', shelf: 'theirs', note: 'theirs' } as const;
    expect([...resolved(ROWS, { row: EDITED, theirs }, choices).keys()]).toEqual(['new']);
    const made = { _id: 'a', _etag: '"9"', year: 1816, note: null };
    expect([...resolved(ROWS, { row: EDITED, theirs: made }, {}).keys()]).toEqual(['new']);
    expect([...resolved(ROWS, { row: EDITED, theirs: undefined }, {}).keys()]).toEqual(['new']);
  });
});
