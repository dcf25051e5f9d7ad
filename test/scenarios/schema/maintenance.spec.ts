import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { proveNotNull } from '../../../src/engine/storage/table/online-change.js';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { versionsOf } from '../../harness/tables.js';
import { during, until } from './database.js';

/** VACUUM, ANALYZE and index builds hold this lock. */
const MAINTENANCE = 'SHARE UPDATE EXCLUSIVE';

describe('while VACUUM or ANALYZE works on the table of a collection', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const waitingModes = async (table: string): Promise<string[]> => {
    const waiting = await app.sql('SELECT mode FROM pg_locks WHERE relation = $1::regclass AND NOT granted', [
      table,
    ]);
    return waiting.map(({ mode }) => mode);
  };

  /** Sends a request that locks the table, and lets VACUUM end when reads and writes were seen not to wait. */
  async function whileMaintained(
    collection: TestCollection,
    send: () => Promise<TestResponse>,
    table = collection.table,
  ) {
    const [id = ''] = await insert(app, collection, { n: 1 });
    const lock = `LOCK TABLE ${table} IN ${MAINTENANCE} MODE`;
    const sent = await during(app, lock, async () => {
      const answer = send();
      await until(async () => (await waitingModes(table)).length > 0);
      expect(await waitingModes(table)).toEqual(['ShareUpdateExclusiveLock']);
      expect(await read(app, collection, id)).toMatchObject({ n: 1 });
      await insert(app, collection, { n: 2 });
      await succeed(app, collection, 'PATCH', `/data/${id}`, { n: 3 });
      return { answer };
    });
    return sent.answer;
  }

  it.each<[string, string, string, object?, object?]>([
    ['a new column', 'PATCH', '/schema', { properties: { more: { type: 'text' } } }],
    ['the end of its history', 'PATCH', '', { settings: { history_days: 0 } }],
    ['the beginning of its history', 'PATCH', '', { settings: { history_days: 7 } }, { history_days: 0 }],
    ['its first list of changes', 'GET', '/changes'],
    ['its deletion', 'DELETE', ''],
  ])('%s waits without a lock for which reads and writes wait', async (_, method, path, body, settings) => {
    const collection = await newCollection(app, home, { settings });
    const { owner } = collection;
    const answer = await whileMaintained(collection, () =>
      app.request(method, collection.path + path, { ...owner, body }),
    );
    expect(answer.status).toBe(200);
  });

  it.each<[string, string, string, object?]>([
    ['a new column', 'PATCH', '/schema', { properties: { more: { type: 'text' } } }],
    ['the end of its history', 'PATCH', '', { settings: { history_days: 0 } }],
    ['its deletion for good', 'DELETE', '?permanent=true'],
  ])('%s waits in the same way for the table of its versions', async (_, method, path, body) => {
    const collection = await newCollection(app, home);
    const { orgId, id, owner } = collection;
    const answer = await whileMaintained(
      collection,
      () => app.request(method, collection.path + path, { ...owner, body }),
      versionsOf(orgId, id),
    );
    expect(answer.status).toBe(200);
  });
});

it('a column that a constraint proves to have no null becomes NOT NULL without a look at its records', async () => {
  const app = await startApp();
  const home = await newHome(app);
  const { table } = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
  const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
  const messages: (string | undefined)[] = [];
  client.on('notice', ({ message }) => messages.push(message));
  await client.connect();
  try {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT not_null_c1 CHECK (c1 IS NOT NULL)`);
    await client.query('BEGIN; SET LOCAL client_min_messages = debug1');
    const [schema = '', name = ''] = table.split('.');
    const shape = { id: name.slice(2), orgId: schema.slice(4), columns: {}, version: 1, mayExpire: false };
    const rowsOf = async (text: string, values?: unknown[]) => (await client.query(text, values)).rows;
    await proveNotNull({ query: rowsOf }, shape);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
  const proofs = messages.filter(message => message?.includes('sufficient to prove'));
  expect(proofs).toEqual([expect.stringContaining('.c1"')]);
  const checks = await app.sql('SELECT conname FROM pg_constraint WHERE conrelid = $1::regclass', [table]);
  expect(checks.map(({ conname }) => conname)).not.toContain('not_null_c1');
});
