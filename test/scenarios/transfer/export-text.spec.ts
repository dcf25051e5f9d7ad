import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';
import { FITTING } from '../records/typed-values.js';
import { exported, exportFile } from './transfer.js';

const JSON_COLUMNS = new Set(['details']);

const TEXTS = [
  '',
  ' ',
  ' a',
  'a\u00a0',
  '\ufeffa',
  ',',
  'a;b',
  '\t',
  '"',
  'a "b" c',
  '\n',
  '\r\n',
  '\\',
  'é𝄞',
  '\u001f,',
];

/** Around the magnitudes from which PostgreSQL or JavaScript writes an exponent. */
const DOUBLES = [4, 5, 6, 7, 8, 13, 14, 15, 16, 20, 21, 22, 99, 300].flatMap(exponent =>
  [1, 1.5, 1.234_567_890_123_456_7, 9.999_999_999_999_998].flatMap(digits =>
    [10 ** exponent, 10 ** -exponent].flatMap(power => [digits * power, -digits * power]),
  ),
);

const DOCUMENTS = [
  {},
  [],
  '',
  'text, "quoted"',
  7,
  false,
  [1.5, 1e21, 1e-7, 0.1],
  { b: { c: [': ', '", "', { '10': 1, '9': [] }] }, a: ' x ' },
  { deep: [{ name: 'a;b', other: null }, { name: '\\' }, 'text'] },
  [12_345_678_901_234_568, 123_456_789_012_345],
];

const FLEXIBLE = [
  { free: ' a' },
  { free: 7, other: { b: [1, { c: '"' }] } },
  { free: null, other: '' },
  { '10': 1, 'a,b': true, 'a "b"': 1e21 },
];

const RECORDS = [
  EMMA,
  {},
  ...FITTING.map(({ column, sent }) => ({ [column]: sent })),
  ...TEXTS.map(title => ({
    title,
    tags: [title],
    details: { [`x${title.replaceAll('.', '')}`]: title },
    free: title,
  })),
  ...DOUBLES.map(price => ({ price })),
  ...DOCUMENTS.map(details => ({ details })),
  ...FLEXIBLE,
  { title: 'x'.repeat(20_000), details: 'short' },
  { title: 'short', details: { long: 'a "b", '.repeat(5_000), deep: 1 }, free: 'y'.repeat(20_000) },
];

/** The CSV line of a record of an NDJSON export. */
function lineOf(header: readonly string[], record: Readonly<Record<string, unknown>>): string {
  const fields = header.map(name => {
    const value = record[name] ?? null;
    if (value === null) return '';
    const text = typeof value === 'string' && !JSON_COLUMNS.has(name) ? value : JSON.stringify(value);
    return /[",;\t\r\n]|^$|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\r\n`;
}

describe('a CSV export', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    for (let from = 0; from < RECORDS.length; from += 100)
      await insert(app, books, ...RECORDS.slice(from, from + 100));
  });

  it.each<[string, Record<string, string>]>([
    ['all fields', {}],
    ['a sort', { sort: '{"price":-1,"title":1}' }],
    ['a filter', { filter: '{"price":{"$gt":1000}}' }],
    ['columns in another order', { fields: '["price","free","title","year","lent","other","tags"]' }],
    ['columns only', { fields: '{"title":1,"details":1,"_id":0}' }],
    ['flexible fields only', { fields: '{"free":1,"none":1,"10":1,"_id":0}' }],
    ['without some fields', { fields: '{"created_at":0,"title":0,"free":0}' }],
    ['paths in documents', { fields: '{"details.deep.name":1,"other.b":1,"title":1,"read_at":1}' }],
    ['without paths in documents', { fields: '{"details.deep.name":0,"other.b":0,"year":0}' }],
  ])('has the values of the NDJSON export, as JavaScript writes them: %s', async (_, query) => {
    const [{ text }, records] = await Promise.all([
      exportFile(app, books, query),
      exported(app, books, query),
    ]);
    const head = `${text.slice(0, text.indexOf('\r\n'))}\r\n`;
    const header = headerOf(head);
    expect(records.length).toBeGreaterThan(10);
    expect(text).toBe(head + records.map(record => lineOf(header, record)).join(''));
  });
});

/** The names of a header without line ends in them. */
function headerOf(head: string): string[] {
  const names = [...head.trimEnd().matchAll(/"((?:[^"]|"")*)"|[^,]+/g)];
  return names.map(([field, quoted]) => (quoted === undefined ? field : quoted.replaceAll('""', '"')));
}
