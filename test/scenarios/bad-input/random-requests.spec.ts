import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newHome, newTypedCollection, type TestCollection } from '../../harness/collection.js';
import { Dice, seedOr, TIMES } from '../../harness/dice.js';
import { newKey } from '../orgs/org.js';
import { sendRaw } from './raw-request.js';

const SEED = seedOr(20_261_127);
const REQUESTS = 1_500 * TIMES;

/** Text that stands where a client may write anything. */
const TEXTS = [
  ...[
    '',
    '%',
    '%00',
    '%ff',
    '%2e%2e',
    '//',
    '/../',
    '\\',
    '[',
    '{',
    '"',
    "'",
    '#',
    '?',
    ';',
    ':',
    '@',
    '*',
    '|',
  ],
  ...[
    'http://',
    'http://[',
    'foo://host',
    'https://a.example',
    '\u00a0',
    '\u00ff',
    'null',
    '__proto__',
    'constructor',
  ],
  ...[
    'x'.repeat(300),
    '-1',
    '1e999',
    'NaN',
    '%7B%22a%22:1%7D',
    '{"$gt":1}',
    'W/"x"',
    '*/*;q=2',
    'application/json',
  ],
  ...[
    'bytes=0-1',
    'gzip, br;q=x',
    '100-continue',
    'websocket',
    'h2c',
    'Bearer x',
    'Basic eA==',
    '127.0.0.1',
    'for=x',
  ],
];
const HEADERS = [
  ...['origin', 'accept', 'accept-encoding', 'if-none-match', 'if-match', 'range', 'cookie', 'authorization'],
  ...[
    'x-platform-api-key',
    'content-type',
    'content-encoding',
    'x-forwarded-for',
    'x-forwarded-proto',
    'forwarded',
  ],
  ...[
    'upgrade',
    'expect',
    'te',
    'prefer',
    'idempotency-key',
    'last-event-id',
    'mcp-session-id',
    'traceparent',
  ],
  ...[
    'mcp-protocol-version',
    'x-correlation-id',
    'user-agent',
    'access-control-request-method',
    'sec-fetch-site',
  ],
];
const BODIES = [
  ...[
    'null',
    '[]',
    '[null]',
    '{}',
    '"x"',
    '1',
    '{',
    '\u00ff\u00fe',
    'a=1&b=',
    '{"__proto__":1}',
    '{"filter":null}',
  ],
  ...[
    '{"filter":{"$or":null}}',
    '{"records":[null]}',
    '{"update":{"$set":null}}',
    '{"properties":{"a":null}}',
  ],
  ...[
    '{"operations":[null]}',
    '{"event_ids":[1]}',
    '{"name":1}',
    '{"steps":[null]}',
    '{"group_by":{}}',
    '{"email":[]}',
  ],
  ...[
    '{"token":[[1]]}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
    '{"jsonrpc":"2.0","id":{}}',
  ],
];
const TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/csv', 'application/x-ndjson'];

let app: TestApp;
let collection: TestCollection;
let key: string;
let routes: readonly (readonly [string, string])[];
beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  const home = await newHome(app);
  collection = await newTypedCollection(app, home);
  await insert(app, collection, { title: 'x' });
  key = (await newKey(app, home.org)).apiKey;
  const { paths } = (await app.request('GET', '/openapi.json')).body;
  routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => [method.toUpperCase(), path] as const),
  );
});
afterAll(() => app?.close());

function randomRequest(dice: Dice): string {
  const [documented, template] = dice.of(routes);
  const method =
    dice.below(15) === 0 ? dice.of(['OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'PUT', 'GET']) : documented;
  const id = (_: string, name: string) =>
    name === 'collection_id' && dice.below(3) > 0 ? collection.id : dice.of(TEXTS);
  let target = template.replace(/\{(\w+)\}/g, id);
  if (dice.below(4) === 0)
    target += dice.of(['?', '?limit=', '?filter=', '?sort=', '?cursor=', '?as_of=', '#']) + dice.of(TEXTS);
  if (dice.below(12) === 0) target = dice.of(TEXTS) + target;
  if (dice.below(20) === 0) target = dice.of(TEXTS) + dice.of(TEXTS);
  const headers: Record<string, string> = { connection: 'close' };
  for (let count = dice.below(6); count > 0; count--) headers[dice.of(HEADERS)] = dice.of(TEXTS);
  if (dice.below(3) > 0) headers['x-platform-api-key'] = key;
  const body = dice.below(3) === 0 ? '' : dice.of(BODIES);
  if (body !== '') {
    headers['content-type'] ??= dice.of(TYPES);
    headers['content-length'] = String(body.length);
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target.replaceAll(' ', '')} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n${body}`;
}

it('no request of random parts is answered with 5xx or ends the process', {
  timeout: 120_000 * TIMES,
}, async () => {
  const dice = new Dice(SEED);
  const failed: string[] = [];
  const statuses = new Set<number>();
  const sender = async () => {
    for (let count = 0; count < REQUESTS / 4; count++) {
      const request = randomRequest(dice);
      // A change stream does not end.
      const answer = await sendRaw(app.url, [Buffer.from(request, 'latin1')], 2_000);
      for (const status of answer.statuses) statuses.add(status);
      if (answer.statuses.length === 0 || answer.statuses.some(status => status >= 500)) failed.push(request);
    }
  };
  await Promise.all([sender(), sender(), sender(), sender()]);
  expect(failed).toEqual([]);
  for (const status of [200, 400, 401, 404, 405, 415]) expect(statuses).toContain(status);
  expect((await app.request('GET', '/v1/collections', { key })).status).toBe(200);
});
