import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../base/kernel/errors.js';
import { type Columns, mergeColumns, parseColumns, parseIndexes } from './parse-schema.js';

it('numbers columns from 1 in the order of their declaration', () => {
  expect(parseColumns({ b: { type: 'text' }, a: { type: 'json', nullable: false } })).toEqual({
    b: { type: 'text', nullable: true, number: 1 },
    a: { type: 'json', nullable: false, number: 2 },
  });
});

it('accepts names with a meaning in JavaScript, except __proto__', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', '__proto', '_'];
  const columns = parseColumns(Object.fromEntries(names.map(name => [name, { type: 'text' }])));
  expect(Object.keys(columns)).toEqual(names);
  expect(() => parseColumns(JSON.parse('{"__proto__":{"type":"text"}}'))).toThrow('__proto__');
});

it('refuses a unique constraint over a name that is not a declared column', () => {
  const columns = parseColumns({ a: { type: 'text' } });
  for (const properties of [['a'], ['_created_by'], ['_created_by', 'a']])
    expect(parseIndexes('uniques', [{ properties }], columns)).toEqual([{ properties }]);
  for (const name of ['b', '_updated_by', 'created_at', 'toString', '__proto__', '_id', 'c1']) {
    expect(() => parseIndexes('uniques', [{ properties: [name] }], columns)).toThrow('uniques.0');
  }
});

it('takes indexes over columns, system fields, flexible fields and paths into documents', () => {
  const columns = parseColumns({ title: { type: 'text' }, details: { type: 'json' } });
  const fields = ['address.city', 'lines.0.sum', 'toString', 'created_at', '_updated_by', '_created_by'];
  for (const name of ['title', 'details', 'details.city', ...fields]) {
    const index = { properties: [name] };
    expect(parseIndexes('indexes', [index], columns)).toEqual([index]);
  }
  for (const name of [
    'title.length',
    '_id',
    '_id.a',
    'created_at.a',
    '_created_by.a',
    '__proto__',
    '',
    'a..b',
    '$a',
    7,
  ]) {
    expect(() => parseIndexes('indexes', [{ properties: [name] }], columns)).toThrow('indexes.0');
  }
});

const EXISTING: Columns = {
  title: { type: 'text', nullable: false, number: 1 },
  year: { type: 'integer', nullable: true, number: 4 },
};

describe('properties merged into a schema', () => {
  it('adds columns with numbers above all existing ones', () => {
    expect(
      mergeColumns(EXISTING, { tags: { type: 'array' }, lent: { type: 'boolean', nullable: false } }),
    ).toEqual({
      ...EXISTING,
      tags: { type: 'array', nullable: true, number: 5 },
      lent: { type: 'boolean', nullable: false, number: 6 },
    });
  });

  it('keeps absent attributes of a known column', () => {
    expect(mergeColumns(EXISTING, { title: { type: 'text' }, year: { nullable: false } })).toEqual({
      title: EXISTING.title,
      year: { type: 'integer', nullable: false, number: 4 },
    });
  });

  it('gives a column with a new type another number, and keeps its place', () => {
    const merged = mergeColumns(EXISTING, { title: { type: 'json' } });
    expect(Object.entries(merged)).toEqual([
      ['title', { type: 'json', nullable: false, number: 5, place: 1 }],
      ['year', EXISTING.year],
    ]);
  });

  it.each([
    [undefined, /^properties: expects an object/],
    [[], /^properties: expects an object/],
    [{ title: null }, /^properties\.title: expects/],
    [{ title: { size: 3 } }, /^properties\.title\.size: is not a known property/],
    [{ year: { type: 'number' } }, /^properties\.year\.type: expects one of/],
    [{ constructor: {} }, /^properties\.constructor\.type/],
    [{ isbn: {} }, /^properties\.isbn\.type/],
    [{ _id: { type: 'text' } }, /system field/],
  ])('refuses %j', (properties, message) => {
    expect(() => mergeColumns(EXISTING, properties)).toThrow(PlatformError);
    expect(() => mergeColumns(EXISTING, properties)).toThrow(message);
  });

  it('refuses more than 500 columns in total', () => {
    const more = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, { type: 'text' }]));
    expect(Object.keys(mergeColumns(EXISTING, more(498)))).toHaveLength(500);
    expect(() => mergeColumns(EXISTING, more(499))).toThrow(/at most 500/);
  });
});
