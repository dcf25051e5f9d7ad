import { describe, expect, it } from 'vitest';
import type { Reading } from '../file/head.js';
import { newFields, newTargets, sampleRecords } from './new-fields.js';
import { doubledName, missingColumns, proposedNames } from './targets.js';

const SCHEMA = { title: { type: 'text' }, due_date: { type: 'date' } } as const;

describe('fields of a file for columns that are there', () => {
  it('go to the columns that they name, and others keep their names', () => {
    const names = proposedNames(['Title', 'Due date', 'shelf', '_id', 'a.b', '$x'], SCHEMA);
    expect(names).toEqual(['title', 'due_date', 'shelf', null, null, null]);
  });

  it('must not share a name', () => {
    expect(doubledName(['a', null, 'b', null])).toBeUndefined();
    expect(doubledName(['a', 'b', 'a'])).toBe('a');
  });
});

it('names the columns that every record needs and that get no value from the file', () => {
  const schema = { isbn: { nullable: false }, title: { nullable: false }, year: { nullable: true } };
  expect(missingColumns(['title', null], schema)).toEqual(['isbn']);
  expect(missingColumns(['isbn', 'title'], schema)).toEqual([]);
});

describe('fields of a file for a new collection', () => {
  const reading: Reading = {
    encoding: 'utf-8',
    format: 'csv',
    delimiter: ';',
    headerLine: 1,
    decimal: ',',
    dates: 'dmy',
  };
  const samples = {
    names: ['Price', 'On'],
    headers: ['Price', 'On'],
    rows: [
      ['1,5', '31/12/2026'],
      ['2', null],
    ],
    isAll: true,
  };

  it('are suggested from values as the service reads them', () => {
    expect(sampleRecords(samples, reading)).toEqual([
      { Price: '1.5', On: '2026-12-31' },
      { Price: '2', On: null },
    ]);
  });

  it('are cut when they are long, and fewer when they are many', () => {
    const rows = Array.from({ length: 1_000 }, () => ['x'.repeat(100_000), null]);
    const records = sampleRecords({ ...samples, rows }, reading);
    expect(String(records[0]?.Price)).toHaveLength(500);
    expect(records.length).toBeLessThan(500);
  });

  it('get the suggested columns, required only if all rows are known', () => {
    const suggestion = {
      properties: { price: { type: 'double', nullable: false } },
      columns: { Price: 'price', On: null },
    } as const;
    const fields = newFields(samples.names, suggestion, false);
    expect(fields).toEqual([
      { key: 0, source: 'Price', name: 'price', type: 'double', nullable: true, isIn: true },
      { key: 1, source: 'On', name: '', type: 'text', nullable: true, isIn: false },
    ]);
    expect(newFields(samples.names, suggestion, true)[0]?.nullable).toBe(false);
    expect(newTargets(fields)).toEqual(['price', null]);
  });
});
