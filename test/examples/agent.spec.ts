import { expect, it } from 'vitest';
import { insert, search, type TestCollection } from '../harness/collection.js';
import { newSlug } from '../scenarios/orgs/org.js';
import { buildClientBefore, newShelf, runToEnd } from './program.js';

buildClientBefore();

/** A shelf with a key of its collection. */
async function shelfWithKey(permissions: readonly string[]) {
  const shelf = await newShelf();
  const { app, books } = shelf;
  const body = { slug: newSlug(), name: 'Agent', permissions };
  const { body: made } = await app.request('POST', `${books.path}/api-keys`, { ...books.owner, body });
  return { ...shelf, run: () => agent(books, { TC_URL: app.url, TC_KEY: made.secret }) };
}

function agent({ id }: TestCollection, environment: Record<string, string>) {
  return runToEnd('agent/agent.mjs', [id], environment);
}

it('lists its tools, inserts a record, corrects a filter, and answers', async () => {
  const { app, books, run } = await shelfWithKey(['collections:read', 'collections:write']);
  await insert(app, books, { title: 'Ulysses', year: 1922 }, { title: 'Don Quixote', year: 1605 });
  const { code, out, err } = await run();
  expect([code, err]).toEqual([0, '']);
  const lines = out.trim().split('\n');
  expect(lines[0]).toMatch(/^tools: .*data_insert/);
  expect(lines[0]).not.toContain('data_create_collection');
  expect(lines.filter(line => line.startsWith('call: '))).toEqual([
    'call: data_insert {"records":[{"title":"Emma","year":1815}]}',
    'call: data_query {"filter":{"year":{"lt":1900}}}',
    'call: data_query {"filter":{"year":{"$lt":1900}},"sort":{"year":1}}',
  ]);
  expect(lines.at(-1)).toBe('answer: Don Quixote (1605), Emma (1815)');
  expect((await search(app, books)).count).toBe(3);
});

it('says which tools its key does not permit, and calls none', async () => {
  const { app, books, run } = await shelfWithKey(['collections:read']);
  const { code, out } = await run();
  expect(code).toBe(0);
  expect(out).toMatch(/\nanswer: The key does not permit data_insert\.\n$/);
  expect((await search(app, books)).count).toBe(0);
});

it('ends with exit code 1 if the service refuses the credential', async () => {
  const { app, books } = await newShelf();
  const { code, err } = await agent(books, { TC_URL: app.url, TC_TOKEN: 'wrong' });
  expect(err).not.toBe('');
  expect(code).toBe(1);
});
