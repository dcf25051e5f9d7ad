import { describe, expect, it } from 'vitest';
import { type CollectionFile, compare, needsChange } from './compare.js';

const text = { type: 'text', nullable: true } as const;
const books: CollectionFile = {
  name: 'books',
  description: null,
  settings: { ttl_days: 0, max_records: 100, history_days: 7 },
  properties: { title: { type: 'text', nullable: false }, year: { type: 'integer', nullable: true } },
  indexes: [{ properties: ['year'] }],
  uniques: [{ properties: ['title', 'year'] }],
};
const lines = (file: Partial<CollectionFile>, live: CollectionFile | undefined = books) =>
  compare({ ...books, ...file }, live).lines;

describe('the difference between a file and a collection', () => {
  it('is nothing if they say the same', () => {
    const same = compare(books, { ...books, properties: { ...books.properties } });
    expect([same.lines, needsChange(same)]).toEqual([[], false]);
  });

  it.each([
    [{ properties: { ...books.properties, isbn: text } }, '+ isbn: text'],
    [{ properties: { ...books.properties, year: text } }, '~ year: integer → text'],
    [{ properties: { ...books.properties, title: text } }, '~ title: text, not null → text'],
    [{ indexes: [{ properties: ['year'] }, { properties: ['title'] }] }, '+ index on title'],
    [{ uniques: [] }, '- unique on title, year'],
    [{ description: 'Ours' }, '~ description: null → "Ours"'],
    [{ settings: { ttl_days: 7, max_records: 100, history_days: 7 } }, '~ ttl_days: 0 → 7'],
    [{ settings: { ttl_days: 0, max_records: 100, history_days: 30 } }, '~ history_days: 7 → 30'],
  ])('%j is one line', (file, line) => {
    expect(lines(file)).toEqual([line]);
    expect(needsChange(compare({ ...books, ...file }, books))).toBe(true);
  });

  it('names a column that the file lacks, and changes nothing for it', () => {
    const difference = compare({ ...books, properties: { title: books.properties.title! } }, books);
    expect(difference.lines).toEqual([expect.stringContaining('! year: is not in the file')]);
    expect(needsChange(difference)).toBe(false);
  });

  it('lists all of a collection that does not exist yet', () => {
    expect(compare(books, undefined).lines).toEqual([
      ...['+ collection', '+ title: text, not null', '+ year: integer'],
      ...['+ index on year', '+ unique on title, year'],
    ]);
  });
});
