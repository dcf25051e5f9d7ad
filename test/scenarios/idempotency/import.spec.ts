import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { upload } from '../transfer/transfer.js';
import { newRetryKey, observed, storedResponses } from './retry.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const make = () =>
  newCollection(app, home, {
    properties: { n: { type: 'integer' } },
    uniques: [{ properties: ['n'] }],
    settings: { max_records: 100_000 },
  });

const CSV = 'n,name\r\n1,Ada\r\n2,Alan\r\n';

function send(
  { path, owner }: TestCollection,
  key: string,
  raw: string | Uint8Array = CSV,
  query = '',
  headers = {},
): Promise<TestResponse> {
  return app.request('POST', `${path}/import${query}`, {
    ...owner,
    raw,
    headers: { 'idempotency-key': key, 'content-type': 'text/csv', ...headers },
  });
}

const lastLine = ({ text }: TestResponse) => JSON.parse(text.trimEnd().split('\n').at(-1) as string);

describe('an import that is sent again with the same key', () => {
  it.each([
    ['plain', CSV, {}],
    ['as gzip', gzipSync(CSV), { 'content-encoding': 'gzip' }],
  ])('%s, is executed once and gets the first answer', async (_, raw, headers) => {
    const [collection, key] = [await make(), newRetryKey()];
    const [rows, events] = await written(app, collection);
    const first = await send(collection, key, raw, '', headers);
    expect([first.status, lastLine(first)]).toMatchObject([200, { done: true, ok: true, inserted: 2 }]);
    const again = await send(collection, key, raw, '', headers);
    expect(observed(again)).toEqual([200, first.text, 'true']);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(await written(app, collection)).toEqual([rows + 2, events + 1]);
  });

  it('with another file or other parameters is refused and writes nothing', async () => {
    const [collection, key] = [await make(), newRetryKey()];
    await send(collection, key);
    const before = await written(app, collection);
    for (const answer of [
      await send(collection, key, 'n,name\r\n3,Grace\r\n'),
      await send(collection, key, CSV, '?on_error=skip'),
      await send(collection, key, `${CSV}3,Grace\r\n`.repeat(20_000)),
    ]) {
      expect(outcome(answer)).toEqual([422, 'IdempotencyKeyReused']);
    }
    expect(await written(app, collection)).toEqual(before);
  });

  it('is executed after a refusal of the first', async () => {
    const [collection, key] = [await make(), newRetryKey()];
    const [taken] = await insert(app, collection, { n: 2 });
    expect((await send(collection, key)).status).toBe(422);
    await app.request('DELETE', `${collection.data}/${taken}`, collection.owner);
    expect(lastLine(await send(collection, key))).toMatchObject({ ok: true, inserted: 2 });
  });

  it('as a dry run writes nothing and stores no answer', async () => {
    const [collection, key] = [await make(), newRetryKey()];
    const before = [await written(app, collection), await storedResponses(app, home.org.id)];
    for (let time = 0; time < 2; time++) {
      const answer = await send(collection, key, CSV, '?dry_run=true');
      expect([answer.status, answer.headers.has('idempotency-replayed')]).toEqual([200, false]);
    }
    expect([await written(app, collection), await storedResponses(app, home.org.id)]).toEqual(before);
  });

  it('gets the stored answer for 24 hours after its end, not after the beginning of its file', async () => {
    const [collection, key] = [await make(), newRetryKey()];
    const sending = upload(collection, app, {}, { 'idempotency-key': key });
    await sending.send(CSV);
    const begun = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
      AND application_name = 'typed-collections import'`;
    await expect.poll(async () => (await app.sql(begun)).length).toBe(1);
    const [{ now }] = await app.sql('SELECT clock_timestamp()::text AS now');
    expect((await sending.end()).status).toBe(200);
    const stored = `SELECT created_at >= $2::timestamptz AS later
      FROM ${schemaOf(home.org.id)}.idempotency_keys WHERE key = $1`;
    expect(await app.sql(stored, [key, now])).toEqual([{ later: true }]);
  });

  it('many times at once is executed once, also if progress lines have been sent', async () => {
    const [collection, key] = [await make(), newRetryKey()];
    const [, events] = await written(app, collection);
    const file = `n\r\n${Array.from({ length: 25_000 }, (_, n) => n).join('\r\n')}\r\n`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(collection, key, file)));
    for (const answer of answers) {
      const line = lastLine(answer);
      const busy = line.error === 'Conflict';
      expect(line).toMatchObject(busy ? {} : { done: true, ok: true, inserted: 25_000 });
    }
    expect(await written(app, collection)).toEqual([25_000, events + 1]);
    expect(lastLine(await send(collection, key, file))).toMatchObject({ ok: true, inserted: 25_000 });
  });
});
