import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  insert,
  newHome,
  newTypedCollection,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { type ModelServer, planned, says, startModelServer } from '../ai/model-server.js';

const SLOW = { title: { $regex: '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$' } };
/** The duration of the statement if it is not stopped. */
const TIMEOUT_MS = 60_000;
/** The promised time. The service watches the client once the statement has run for a tenth of a second. */
const STOPPED_WITHIN_MS = 2_000;
const ACTIVE = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND backend_type = 'client backend'
    AND (position($2 IN query) > 0 OR query ~ '^FETCH') AND pid <> pg_backend_pid()
    AND clock_timestamp() - query_start >= make_interval(secs => $1)`;

const SORT = encodeURIComponent('{"title":1}');
const FILTER = encodeURIComponent(JSON.stringify(SLOW));

interface Sent {
  readonly tool?: string;
  readonly [argument: string]: unknown;
}

/** A message that calls a tool about the collection, from a client that began with `initialize`. */
function toolCall({ id: collection_id }: TestCollection, name: string, { tool: _, ...args }: Sent) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { collection_id, ...args } },
  };
}

describe('a client that disconnects before its answer', () => {
  let app: TestApp;
  let books: TestCollection;
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModelServer();
    model.answers(says(planned({ operation: 'count', filter: JSON.stringify(SLOW) })));
    app = await startOwnApp({
      database: 'own',
      environment: {
        DATABASE_STATEMENT_TIMEOUT_MS: String(TIMEOUT_MS),
        AI_ADAPTER: 'openai',
        AI_BASE_URL: model.url,
        AI_MODEL: 'test-model',
        OUTBOUND_ALLOW_INSECURE_HOSTS: `127.0.0.1:${model.port}`,
      },
    });
    books = await newTypedCollection(app, await newHome(app));
    await insert(app, books, { title: 'x'.repeat(301) }, { title: 'short' });
  });
  afterAll(async () => {
    await app.close();
    await model.close();
  });

  /** Statements on records that have run for at least this time. */
  const active = async (seconds = 0) => (await app.sql(ACTIVE, [seconds, books.table])).length;

  function leave(method: string, path: string, body?: object): () => void {
    const gone = new AbortController();
    const address = `http://${app.settings.HOST}:${app.settings.PORT}`;
    fetch(`${address}${path.startsWith('/v1/') ? path : `${books.path}${path}`}`, {
      method,
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${books.owner.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    return () => gone.abort();
  }

  it.each<[string, string, string, Sent?]>([
    ['list', 'GET', `/data?filter=${FILTER}`],
    ['query', 'POST', '/data/query', { filter: SLOW }],
    ['count', 'GET', `/data/count?filter=${FILTER}`],
    ['list of distinct values', 'GET', `/data/distinct?field=title&filter=${FILTER}`],
    ['aggregate', 'POST', '/data/aggregate', { filter: SLOW, steps: [{ type: 'count', output_field: 'n' }] }],
    ['export as CSV', 'GET', `/export?format=csv&filter=${FILTER}`],
    ['sorted export as NDJSON', 'GET', `/export?format=ndjson&sort=${SORT}&filter=${FILTER}`],
    ['question', 'POST', '/ask', { question: 'How many are there?' }],
    ['MCP query', 'POST', '/v1/mcp', { tool: 'data_query', filter: SLOW }],
    ['MCP count', 'POST', '/v1/mcp', { tool: 'data_count', filter: SLOW }],
    [
      'MCP list of distinct values',
      'POST',
      '/v1/mcp',
      { tool: 'data_distinct', field: 'title', filter: SLOW },
    ],
    ['MCP question', 'POST', '/v1/mcp', { tool: 'ask_collection', question: 'How many are there?' }],
  ])('stops the statement of its %s', async (_, method, path, body) => {
    const go = leave(method, path, body?.tool === undefined ? body : toolCall(books, body.tool, body));
    await expect.poll(() => active(0.2), { interval: 50, timeout: 10_000 }).toBe(1);
    go();
    await expect.poll(() => active(), { timeout: STOPPED_WITHIN_MS, interval: 50 }).toBe(0);
    expect((await search(app, books, { filter: { title: 'short' } })).records).toHaveLength(1);
  });

  it.each<[string, string, Sent]>([
    ['question', '/ask', { question: 'How many are there?' }],
    ['MCP question', '/v1/mcp', { tool: 'ask_collection', question: 'How many are there?' }],
    ['suggestion of a schema', '/v1/suggest-schema', { description: 'people with name and age' }],
    [
      'MCP suggestion',
      '/v1/mcp',
      { tool: 'suggest_schema', description: 'people with name and age', collection_id: undefined },
    ],
  ])('ends the call of the language model for its %s, and no second call is made', async (_, path, body) => {
    let ended = 0;
    model.answers(response => {
      response.once('close', () => {
        ended += 1;
      });
    });
    const go = leave('POST', path, body.tool === undefined ? body : toolCall(books, body.tool, body));
    await expect.poll(() => model.received.length, { interval: 20, timeout: 10_000 }).toBe(1);
    expect(ended).toBe(0);
    go();
    await expect.poll(() => ended, { timeout: STOPPED_WITHIN_MS, interval: 20 }).toBe(1);
    await pause(500);
    expect([model.received.length, await active()]).toEqual([1, 0]);
  });

  it('stops it also when it disconnects at once, and leaves the queue', async () => {
    const goes = Array.from({ length: 12 }, () => leave('POST', '/data/query', { filter: SLOW }));
    await expect.poll(() => active(), { interval: 10, timeout: 10_000 }).toBeGreaterThan(0);
    for (const go of goes) go();
    await expect.poll(() => active(), { timeout: STOPPED_WITHIN_MS, interval: 50 }).toBe(0);
    // A request that the service received late begins its statement, too, which is then stopped.
    await pause(500);
    await expect.poll(() => active(), { timeout: STOPPED_WITHIN_MS, interval: 50 }).toBe(0);
    expect((await search(app, books, { filter: { title: 'short' } })).records).toHaveLength(1);
  });
});
