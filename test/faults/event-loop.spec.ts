import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testPort } from '../app/port.js';
import { startCluster } from './cluster.js';
import { startInstance } from './instance.js';

/** What an operation may keep the event loop for, on a machine that does the piece of work below in its time. */
const LONGEST_MS = 250;
const WORK_MS = 60;
/** A busy machine may stop any process for a while: what counts is the best of several attempts. */
const ATTEMPTS = 3;

const WORK = JSON.stringify(list(300_000, n => ({ a: n })));

/** How much slower this machine is now. */
function slowness(): number {
  const begun = performance.now();
  JSON.parse(WORK);
  return Math.max(1, (performance.now() - begun) / WORK_MS);
}

function list<T>(length: number, item: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => item(n));
}

function fields(count: number, field: (n: number) => readonly [string, unknown]): object {
  return Object.fromEntries(list(count, field));
}

/** A body that is text is sent as it is, of the type that is named. */
/** The path is below a collection, unless it begins with `!`. */
type Payload = readonly [method: string, below: string, body: unknown, type?: string];

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const MEBIBYTE = 1024 * 1024;
/** About as much as a body may hold. */
const LARGE = 10 * MEBIBYTE - 1_000;

/** Text of a record with one field, which holds a list of the same value over and over. */
function listOf(value: string, bytes: number): string {
  return `{"a":[${`${value},`.repeat(bytes / (value.length + 1) - 10)}${value}]}`;
}

function inserted(record: string): Payload {
  return ['POST', '/data', `{"records":[${record}]}`, 'application/json'];
}

function called(args: object): Payload {
  const params = { name: 'data_insert', arguments: args };
  return ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }];
}

/** The largest payloads of each kind, below a collection. */
const PAYLOADS: Readonly<Record<string, () => Payload>> = {
  'a bulk insert of many small records': () => [
    'POST',
    '/data/bulk',
    { records: list(5_000, n => ({ n, text: 'x'.repeat(100) })) },
  ],
  'a bulk insert of wide records': () => [
    'POST',
    '/data/bulk',
    { records: list(5_000, n => fields(100, k => [`field_${k}`, n])) },
  ],
  'a bulk insert of records that do not fit': () => [
    'POST',
    '/data/bulk',
    { records: list(5_000, () => fields(30, k => [`c${k}`, 'x'])) },
  ],
  'a bulk upsert of one key': () => [
    'POST',
    '/data/bulk',
    { upsert_key: 'key', records: list(5_000, n => ({ key: 'k', [`f${n}`]: n })) },
  ],
  'a record with too many fields': () => ['POST', '/data', { records: [fields(200_000, n => [`f${n}`, 1])] }],
  'a filter with a long list': () => [
    'POST',
    '/data/query',
    { filter: { n: { $in: list(10_000, n => n) } } },
  ],
  'a filter with many conditions': () => [
    'POST',
    '/data/query',
    { filter: { $and: list(499, n => ({ [`f${n}.a.b`]: { $gt: n } })) }, limit: 1 },
  ],
  'an update of many paths': () => [
    'PATCH',
    '/data',
    {
      filter: { seed: { $gte: 0 } },
      update: { $set: fields(1_000, n => [`deep.f${n}`, n]) },
    },
  ],
  'the same update again': () => [
    'PATCH',
    '/data',
    {
      filter: { seed: { $gte: 0 } },
      update: { $set: fields(1_000, n => [`deep.f${n}`, n]) },
    },
  ],
  'an update that looks for many values': () => [
    'PATCH',
    '/data',
    { filter: { seed: { $gte: 0 } }, update: { $pullAll: { marks: list(10_000, n => ({ n })) } } },
  ],
  'a question of many words': () => ['POST', '/ask', { question: 'how many seed between '.repeat(90) }],
  'a question of one letter': () => ['POST', '/ask', { question: 'a'.repeat(2_000) }],
  'a record of very many objects': () => inserted(listOf('{}', LARGE)),
  'a record of as many objects as it may have': () => inserted(listOf('{}', 600_000)),
  'a record of many objects with names of their own': () =>
    inserted(`{"a":[${list(120_000, n => `{"name${n}":1}`).join(',')}]}`),
  'a record of very many numbers': () => inserted(listOf('1234567.5', LARGE)),
  'a record of one text': () => inserted(`{"a":"${'x'.repeat(LARGE - 100)}"}`),
  'a record of escapes': () => inserted(`{"a":"${'\\u00e9'.repeat(LARGE / 6 - 100)}"}`),
  'records of many objects each': () => [
    'POST',
    '/data',
    `{"records":[${list(18, () => listOf('{}', 500_000)).join(',')}]}`,
    'application/json',
  ],
  'an update of many long paths': () => [
    'PATCH',
    '/data',
    { filter: { seed: 1 }, update: { $set: fields(4_900, n => [`f${n}${'.a'.repeat(98)}`, 1]) } },
  ],
  'an update of very many values': () => [
    'PATCH',
    '/data',
    { filter: { seed: 1 }, update: { $set: fields(40, n => [`f${n}`, Array(60_000).fill({})]) } },
  ],
  'a filter of very many values': () => [
    'POST',
    '/data/query',
    { filter: { a: { $in: list(9_000, () => Array(200).fill({})) } } },
  ],
  'a line of very many objects': () => [
    'POST',
    '/import?mode=append&dry_run=true',
    listOf('{}', 15 * MEBIBYTE),
    NDJSON,
  ],
  'lines that are as large as they may be': () => [
    'POST',
    '/import?mode=append&dry_run=true',
    `${listOf('{}', 600_000)}\n`.repeat(5),
    NDJSON,
  ],
  'a field of many quotes': () => [
    'POST',
    '/import?mode=append&dry_run=true',
    `a,b\n"${'"'.repeat(10_000_000)}",x\n`,
    CSV,
  ],
  'a file of many columns': () => [
    'POST',
    '/import?mode=append&dry_run=true',
    `${list(9_000, n => `column${n}`).join(',')}\n${`${'1,'.repeat(8_999)}1\n`.repeat(300)}`,
    CSV,
  ],
  'a line of too many fields': () => [
    'POST',
    '/import?mode=append&dry_run=true',
    `a,b\n${','.repeat(10_000_000)}\n`,
    CSV,
  ],
  'a tool with many unknown arguments': () => called(fields(49_000, n => [`unknown${n}`, 1])),
  "a tool's many large records": () =>
    called({ records: list(1_000, n => ({ n, marks: list(800, () => ({ n })) })) }),
  'samples of many names': () => [
    'POST',
    '!/v1/suggest-schema',
    { samples: list(1_000, n => fields(200, k => [`f${(n * k) % 997}`, `text ${k}`])) },
  ],
  'a chart of many conditions': () => [
    'PUT',
    '/charts',
    { charts: list(50, n => fields(60, k => [`unknown_${n}_${k}`, [k]])) },
  ],
  'groups of everything': () => [
    'POST',
    '/data/aggregate',
    { group_by: ['_id'], steps: [{ type: 'count', output_field: 'n' }], limit: 20_000 },
  ],
};

it('no request keeps the event loop for more than a quarter of a second', async () => {
  const { url, key, longestBlock } = await watchedInstance();
  const send = async ([method, path, body, type]: Payload) => {
    const headers = {
      'x-platform-api-key': key,
      'content-type': type ?? 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const text = type === undefined ? JSON.stringify(body) : (body as string);
    const answer = await fetch(url + path, { method, headers, body: text });
    return { status: answer.status, text: await answer.text() };
  };
  const columns = fields(30, n => [`c${n}`, { type: 'integer' }]);
  const made = await send([
    'POST',
    '/v1/collections',
    {
      name: 'target',
      properties: { seed: { type: 'integer' }, key: { type: 'text' }, ...columns },
      uniques: [{ properties: ['key'] }],
      settings: { max_records: 1_000_000 },
    },
  ]);
  const path = `/v1/collections/${JSON.parse(made.text).collection_id}`;
  const seeds = list(200, seed => ({ seed, marks: list(200, n => ({ n })) }));
  expect((await send(['POST', `${path}/data/bulk`, { records: seeds }])).status).toBe(201);

  const offenders: string[] = [];
  for (const [name, payload] of Object.entries(PAYLOADS)) {
    const [method, below, body, type] = payload();
    let best = Number.POSITIVE_INFINITY;
    let status = 0;
    for (let attempt = 0; attempt < ATTEMPTS && best > LONGEST_MS; attempt++) {
      await longestBlock();
      const before = slowness();
      ({ status } = await send([method, below.startsWith('!') ? below.slice(1) : path + below, body, type]));
      best = Math.min(best, (await longestBlock()) / Math.max(before, slowness()));
    }
    expect([name, status < 500]).toEqual([name, true]);
    if (best > LONGEST_MS) offenders.push(`${name}: ${Math.round(best)} ms`);
  }
  expect(offenders).toEqual([]);
});

/** An instance that tells for how long its event loop was kept at once since it was last asked. */
async function watchedInstance() {
  const cluster = await startCluster();
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-loop-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const bootstrapFile = join(directory, 'bootstrap.json');
  const [port, watchPort] = [await testPort(), await testPort()];
  const { url } = await startInstance(['--import', './test/faults/loop-watch.mjs'], {
    DATABASE_URL: cluster.url,
    PORT: String(port),
    LOOP_WATCH_PORT: String(watchPort),
    SECRETS_MASTER_KEYS: `loop:${randomBytes(32).toString('base64')}`,
    BOOTSTRAP_FILE: bootstrapFile,
    RATE_LIMITS: 'off',
  });
  const { orgApiKey } = JSON.parse(await readFile(bootstrapFile, 'utf8'));
  const longestBlock = async () => Number(await (await fetch(`http://127.0.0.1:${watchPort}`)).text());
  return { url, key: orgApiKey as string, longestBlock };
}
