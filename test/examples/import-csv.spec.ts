import { expect, it } from 'vitest';
import { search } from '../harness/collection.js';
import { buildClientBefore, newShelf, runToEnd } from './program.js';

buildClientBefore();

const FILE = 'examples/import-csv/books.csv';

it('imports the rows that fit, prints the others, and ends with exit code 3', async () => {
  const { app, books, environment } = await newShelf();
  const { code, out, err } = await runToEnd('import-csv/import.mjs', ['books', FILE], environment);
  expect(out).toMatch(/^row 3, column year: .+\n$/);
  expect(err).toContain('done: 100 % sent, 5 rows');
  expect(err).toContain('\n5 rows: 4 inserted, 0 updated, 1 left out\n');
  expect(code).toBe(3);
  const { records } = await search(app, books, { sort: { year: 1 } });
  expect(records.map(({ title }: { title: string }) => title)).toEqual([
    'Sense, and Sensibility',
    'Emma',
    'Persuasion',
    'Ulysses',
  ]);
});

it('updates records when it is repeated with a unique column', async () => {
  const { app, books, environment } = await newShelf();
  const run = () => runToEnd('import-csv/import.mjs', ['books', FILE, 'title'], environment);
  expect((await run()).code).toBe(3);
  expect((await run()).err).toContain('\n5 rows: 0 inserted, 4 updated, 1 left out\n');
  expect((await search(app, books)).count).toBe(4);
});

it('ends with exit code 1 and the code of the error if the service refuses the file', async () => {
  const { environment } = await newShelf();
  const { code, out, err } = await runToEnd('import-csv/import.mjs', ['none', FILE], environment);
  expect(err).toMatch(/^CollectionNotFound: /m);
  expect([code, out]).toEqual([1, '']);
  const missing = await runToEnd('import-csv/import.mjs', ['books', 'none.csv'], environment);
  expect(missing.err).toMatch(/^ENOENT: .*none\.csv/);
  expect(missing.code).toBe(1);
});

const ADDRESS = { TC_URL: 'http://127.0.0.1:1' };

it.each([
  ['TC_URL', {}, /^TC_URL is missing: set it to the address of the service, such as http/],
  ['a credential', ADDRESS, /^TC_KEY is missing: set it to an API key, or set TC_TOKEN to an access token/],
  ['a whole address', { TC_URL: 'localhost:3000', TC_KEY: 'x' }, /^TC_URL: expects .*, not localhost:3000/],
])('ends with exit code 2 and says what to set without %s', async (_, environment, message) => {
  const { code, err } = await runToEnd('import-csv/import.mjs', ['books', FILE], environment);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

it('ends with exit code 2 and names its arguments if one is missing', async () => {
  const { code, err } = await runToEnd('import-csv/import.mjs', ['books'], { ...ADDRESS, TC_KEY: 'x' });
  expect(err).toBe('expects the arguments collection file.csv [upsert-key]\n');
  expect(code).toBe(2);
});
