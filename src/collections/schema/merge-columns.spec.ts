import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../kernel/errors.js';
import type { Columns } from '../schema.js';
import { mergeColumns } from './merge-columns.js';

const EXISTING: Columns = {
  title: { type: 'text', nullable: false, number: 1 },
  year: { type: 'integer', nullable: true, number: 4 },
};

describe('properties merged into a schema', () => {
  it('adds columns behind all numbers there are', () => {
    expect(
      mergeColumns(EXISTING, { tags: { type: 'array' }, lent: { type: 'boolean', nullable: false } }),
    ).toEqual({
      ...EXISTING,
      tags: { type: 'array', nullable: true, number: 5 },
      lent: { type: 'boolean', nullable: false, number: 6 },
    });
  });

  it('keeps of a known column what is absent', () => {
    expect(mergeColumns(EXISTING, { title: { type: 'text' }, year: { nullable: false } })).toEqual({
      title: EXISTING.title,
      year: { type: 'integer', nullable: false, number: 4 },
    });
  });

  it('gives a column of another type another number, and the last place', () => {
    const merged = mergeColumns(EXISTING, { title: { type: 'json' } });
    expect(Object.entries(merged)).toEqual([
      ['year', EXISTING.year],
      ['title', { type: 'json', nullable: false, number: 5 }],
    ]);
  });

  it.each([
    [undefined, /^properties: expects an object/],
    [[], /^properties: expects an object/],
    [{ title: null }, /^properties\.title: expects/],
    [{ title: { size: 3 } }, /^properties\.title\.size: is not known here/],
    [{ year: { type: 'number' } }, /^properties\.year\.type: expects one of/],
    [{ constructor: {} }, /^properties\.constructor\.type/],
    [{ isbn: {} }, /^properties\.isbn\.type/],
    [{ _id: { type: 'text' } }, /system field/],
  ])('refuses %j', (properties, message) => {
    expect(() => mergeColumns(EXISTING, properties)).toThrow(PlatformError);
    expect(() => mergeColumns(EXISTING, properties)).toThrow(message);
  });

  it('refuses more than 500 columns in all', () => {
    const more = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, { type: 'text' }]));
    expect(Object.keys(mergeColumns(EXISTING, more(498)))).toHaveLength(500);
    expect(() => mergeColumns(EXISTING, more(499))).toThrow(/at most 500/);
  });
});
