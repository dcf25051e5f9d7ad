import { expect, it } from 'vitest';
import { cli, curl, type Shown, typescript } from './snippets.js';

const shown: Shown = {
  url: 'https://data.example.com',
  collection: 'books',
  filter: { year: { $gt: 1900 } },
  sort: { year: -1 },
  fields: ['title', 'year'],
  limit: 100,
  asOf: undefined,
};

it('writes a command for curl', () => {
  expect(curl(shown)).toBe(`curl https://data.example.com/v1/collections/books/data/query \\
  --header "x-platform-api-key: $TC_KEY" \\
  --header 'content-type: application/json' \\
  --data-raw '{"filter":{"year":{"$gt":1900}},"sort":{"year":-1},"fields":["title","year"],"limit":100}'`);
});

it('writes a command of tcol', () => {
  expect(cli(shown)).toBe(`TC_URL=https://data.example.com tcol query books '{"year":{"$gt":1900}}' \\
  --sort '{"year":-1}' \\
  --fields=title,year \\
  --limit 100`);
});

it('lets tcol send the request itself if a name contains a comma', () => {
  expect(cli({ ...shown, fields: ['a,b'], filter: {}, sort: {} })).toBe(
    `TC_URL=https://data.example.com tcol api POST /v1/collections/books/data/query '{"fields":["a,b"],"limit":100}'`,
  );
});

it('writes a program with the client', () => {
  expect(typescript(shown)).toBe(`import { createClient } from '@typed-collections/client';

const client = createClient({ url: 'https://data.example.com', key: process.env.TC_KEY });
const found = client.collection('books').find({ year: { $gt: 1900 } }, { sort: { year: -1 }, fields: ['title', 'year'] });
for (const record of await found.toArray(100)) {
  console.log(record);
}
`);
});

it('reads the records as they were at the instant that the page shows', () => {
  const then = { ...shown, asOf: '2026-11-23T09:00:00.000Z' };
  expect(curl(then)).toContain(`"limit":100,"as_of":"2026-11-23T09:00:00.000Z"}'`);
  expect(cli(then)).toContain(`--limit 100 \\\n  --as-of 2026-11-23T09:00:00.000Z`);
  expect(typescript(then)).toContain(`asOf: '2026-11-23T09:00:00.000Z'`);
});

it('writes long filters in lines, and names that are no identifiers in quotes', () => {
  const filter = { 'a.b': `it's`, note: 'x'.repeat(60), other: ['y'.repeat(30)] };
  expect(typescript({ ...shown, filter, sort: {}, fields: undefined })).toContain(`find({
  'a.b': "it's",
  note: '${'x'.repeat(60)}',
  other: ['${'y'.repeat(30)}'],
});`);
});
