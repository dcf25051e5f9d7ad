import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { connect } from '../mcp/client.js';

const LIMIT = 1_000_000;

/** The text length of each record: below and above the size that PostgreSQL sends at once. */
const SIZES = { 'many of some length': 90_000, 'long ones': 400_000 } as const;

let app: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ environment: { RESPONSE_LIMIT_BYTES: String(LIMIT) } });
});
afterAll(() => app.close());

describe.each(Object.entries(SIZES))('an answer that would exceed the limit: %s', (_, length) => {
  const COUNT = 30;
  let docs: TestCollection;
  let ids: string[];
  beforeAll(async () => {
    docs = await newCollection(app, await newHome(app), { properties: { n: { type: 'integer' } } });
    ids = [];
    // Compresses well, so that only the uncompressed length shows the size.
    const record = (n: number) => ({ n, text: String(n % 10).repeat(length) });
    for (let n = 0; n < COUNT; n += 10)
      ids.push(...(await insert(app, docs, ...Array.from({ length: 10 }, (_, k) => record(n + k)))));
  });

  const search = (body: object) => app.request('POST', `${docs.data}/query`, { ...docs.owner, body });

  it('is cut to a shorter page when read with a cursor, and all records are reached once', async () => {
    const seen: number[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { status, text, body } = await search({ sort: { n: 1 }, limit: 100, cursor });
      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT + 10_000);
      expect(body.count).toBe(body.records.length);
      expect(body.count).toBeGreaterThan(0);
      seen.push(...body.records.map((record: { n: number }) => record.n));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: COUNT }, (_, n) => n));
    expect(pages).toBeGreaterThanOrEqual(Math.floor((COUNT * length) / LIMIT));
    expect(pages).toBeLessThanOrEqual(Math.ceil((COUNT * length) / (LIMIT - length)) + 1);
  });

  it('is refused when requested by page number, with the alternative', async () => {
    const { status, body } = await search({ limit: 100 });
    expect([status, body.error]).toEqual([400, 'ResultTooLarge']);
    expect(body.message).toContain('cursor');
    expect((await search({ limit: 2 })).body.count).toBe(2);
    expect((await search({ limit: 100, fields: ['n'] })).body.count).toBe(COUNT);
  });

  it('is refused for distinct values and groups', async () => {
    const distinct = await app.request('GET', `${docs.data}/distinct?field=_id`, docs.owner);
    expect(distinct.body.count).toBe(COUNT);
    const texts = await app.request('GET', `${docs.data}/distinct?field=text`, docs.owner);
    const steps = [{ type: 'max', input_field: 'text', output_field: 'text' }];
    const groups = await app.request('POST', `${docs.data}/aggregate`, {
      ...docs.owner,
      body: { group_by: '_id', steps },
    });
    const isLong = length * 10 > LIMIT;
    expect([texts.status, texts.body.error]).toEqual(isLong ? [400, 'ResultTooLarge'] : [200, undefined]);
    expect([groups.status, groups.body.error]).toEqual([400, 'ResultTooLarge']);
  });

  it('is cut to a shorter page in MCP, with at least one record', async () => {
    const mcp = await connect(app, docs.owner);
    const args = { collection_id: docs.id, limit: 100, sort: { n: 1 } };
    const { data } = await mcp.call('data_query', args);
    expect([data.truncated, data.next_cursor !== null]).toEqual([true, true]);
  });

  it('does not affect single records, exports and changes', async () => {
    const { status, body } = await app.request('GET', `${docs.data}/${ids[3]}`, docs.owner);
    expect([status, body.record.n, body.record.text.length]).toEqual([200, 3, length]);
    const file = await app.request('GET', `${docs.path}/export?format=ndjson`, docs.owner);
    expect(
      file.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).n)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: COUNT }, (_, n) => n));
  });
});

it('is returned if it is a single record', async () => {
  const docs = await newCollection(app, await newHome(app));
  const [id] = await insert(app, docs, { text: 'x'.repeat(2 * LIMIT) }, { text: 'y' });
  const page = await app.request('POST', `${docs.data}/query`, {
    ...docs.owner,
    body: { cursor: '', limit: 10, filter: { _id: id } },
  });
  expect([page.status, page.body.count, page.body.next_cursor]).toEqual([200, 1, null]);
  expect((await app.request('GET', `${docs.data}/${id}`, docs.owner)).body.record.text).toHaveLength(
    2 * LIMIT,
  );
});

describe('a page of records that are much longer than the limit', () => {
  const TIMEOUT_MS = 4_000;
  let impatient: TestApp;
  beforeAll(async () => {
    const environment = {
      RESPONSE_LIMIT_BYTES: String(LIMIT),
      DATABASE_STATEMENT_TIMEOUT_MS: String(TIMEOUT_MS),
    };
    impatient = await startOwnApp({ environment });
  });
  afterAll(() => impatient.close());

  it('is cut before PostgreSQL has made the texts of all of them, which takes too long', async () => {
    const docs = await newCollection(impatient, await newHome(impatient), {});
    await insert(impatient, docs, { text: 'x'.repeat(8_000_000) });
    await impatient.sql(
      `INSERT INTO ${docs.table} SELECT (jsonb_populate_record(t, jsonb_build_object('_id', gen_random_uuid()))).*
       FROM ${docs.table} t, generate_series(1, 299)`,
    );
    const body = { limit: 1_000, cursor: '' };
    const page = await impatient.request('POST', `${docs.data}/query`, { ...docs.owner, body });
    expect([page.status, page.body.count]).toEqual([200, 1]);
    expect(page.body.next_cursor).toBeTypeOf('string');
    const count = await impatient.request('GET', `${docs.data}/count`, docs.owner);
    expect(count.body.count).toBe(300);
    // The search for secrets after the run would read 2.4 GB.
    await impatient.sql(`TRUNCATE ${docs.table}`);
  });
});
