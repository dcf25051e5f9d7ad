import { expect, it } from 'vitest';
import { type Sent, WatchedInstance } from './watched-instance.js';

function list<T>(length: number, item: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => item(n));
}

function fields(count: number, field: (n: number) => readonly [string, unknown]): object {
  return Object.fromEntries(list(count, field));
}

/**
 * A text body is sent unchanged with the given content type. The path is below a collection, unless it begins
 * with `!`.
 */
type Payload = readonly [method: string, below: string, body: unknown, type?: string];

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const MEBIBYTE = 1024 * 1024;
/** About the maximum size of a body. */
const LARGE = 10 * MEBIBYTE - 1_000;

/** JSON text of a record with one field: a list that repeats one value. */
function listOf(value: string, bytes: number): string {
  return `{"a":[${`${value},`.repeat(bytes / (value.length + 1) - 10)}${value}]}`;
}

function inserted(records: string): Payload {
  return ['POST', '/data', `{"records":[${records}]}`, 'application/json'];
}

/** An update that adds elements to an array and sorts it. They differ in `n` only, and come in no order. */
function sorting(elements: number, by: object): object {
  const added = list(elements, n => ({ n: (n * 7_919) % elements }));
  return { $push: { sorted: { $each: added, $sort: by, $slice: 10 } } };
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
  'an update that sorts by too many fields': () => [
    'PATCH',
    '/data',
    {
      filter: { seed: { $gte: 0 } },
      update: sorting(
        1,
        fields(20_000, n => [`f${n}`, 1]),
      ),
    },
  ],
  'an update that sorts by as many fields as possible': () => [
    'PATCH',
    '/data',
    { filter: { seed: 1 }, update: sorting(1_500, { ...fields(31, n => [`f${n}`, 1]), n: 1 }) },
  ],
  'an update that sorts as many elements as possible': () => [
    'PATCH',
    '/data',
    { filter: { seed: 1 }, update: sorting(49_000, { n: 1 }) },
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
  'a list of very many texts in place of a step': () => [
    'POST',
    '/data/explain',
    { aggregate: { steps: [list(1_000_000, n => `t${n}`)] } },
  ],
  'a page of records of many objects': () => ['POST', '/data/query', { ...DENSE, limit: 100 }],
  'deep fields of records of many objects': () => [
    'POST',
    '/data/query',
    { ...DENSE, limit: 100, fields: { 'a.x': 0 } },
  ],
  'deep fields of records of many objects as a file': () => [
    'GET',
    `/export?format=ndjson&fields=${encodeURIComponent('{"a.x":0}')}`,
    undefined,
  ],
};

/** Number of records with very many objects in the collection. */
const DENSE = { filter: { dense: true }, cursor: '' };

it('no request blocks the event loop for more than a quarter of a second, nor does an aggregate of 50,000 groups', async () => {
  const instance = await WatchedInstance.start();
  const headers = {
    'x-platform-api-key': instance.bootstrap.orgApiKey as string,
    accept: 'application/json, text/event-stream',
  };
  const request = ([method, path, body, type]: Payload) => ({
    method,
    path,
    headers: { ...headers, 'content-type': type ?? 'application/json' },
    body: type === undefined ? JSON.stringify(body) : (body as string),
  });
  const columns = fields(30, n => [`c${n}`, { type: 'integer' }]);
  const made = await instance.send(
    request([
      'POST',
      '/v1/collections',
      {
        name: 'target',
        properties: { seed: { type: 'integer' }, key: { type: 'text' }, ...columns },
        uniques: [{ properties: ['key'] }],
        settings: { max_records: 1_000_000 },
      },
    ]),
  );
  const path = `/v1/collections/${JSON.parse(made.text).collection_id}`;
  const seeds = list(200, seed => ({ seed, marks: list(200, n => ({ n })) }));
  const seeded = await instance.send(request(['POST', `${path}/data/bulk`, { records: seeds }]));
  expect(seeded.status).toBe(201);
  const dense = `{"dense":true,"a":[${'{},'.repeat(160_000)}{}]}`;
  for (let n = 0; n < 3; n++) {
    const [method, below, body, type] = inserted(list(8, () => dense).join(','));
    expect((await instance.send(request([method, path + below, body, type]))).status).toBe(200);
  }

  await instance.forget();
  for (const [name, payload] of Object.entries(PAYLOADS)) {
    const [method, below, body, type] = payload();
    const target = below.startsWith('!') ? below.slice(1) : path + below;
    const { status } = await instance.judge({ ...request([method, target, body, type]), name });
    expect([name, status < 500]).toEqual([name, true]);
  }
  await aggregateGroups(instance, request);
  expect(instance.offenders, `${instance.slowest(3)}`).toEqual([]);
});

/** Aggregates a collection of 50,000 groups. */
async function aggregateGroups(
  instance: WatchedInstance,
  request: (payload: Payload) => Omit<Sent, 'name'>,
): Promise<void> {
  const properties = { group: { type: 'text' }, n: { type: 'integer' } };
  const settings = { max_records: 1_000_000 };
  const made = await instance.send(
    request(['POST', '/v1/collections', { name: 'grouped', properties, settings }]),
  );
  const data = `/v1/collections/${JSON.parse(made.text).collection_id}/data`;
  for (let batch = 0; batch < 10; batch++) {
    const records = list(5_000, n => ({ group: `group ${batch} ${n} ${'x'.repeat(100)}`, n }));
    expect((await instance.send(request(['POST', `${data}/bulk`, { records }]))).status).toBe(201);
  }
  await instance.forget();
  const steps = ['sum', 'min', 'max', 'avg'].map(type => ({ type, input_field: 'n', output_field: type }));
  const sent = request(['POST', `${data}/aggregate`, { group_by: ['group'], steps }]);
  const answer = await instance.judge({ ...sent, name: 'an aggregate of 50,000 groups' });
  expect(JSON.parse(answer.text).results).toHaveLength(50_000);
}
