import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startOwnApp } from '../../harness/app.js';
import { newCollection, newHome, newName } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { tableOf } from '../../harness/tables.js';
import { until } from '../changes/feed.js';
import { newKey } from '../orgs/org.js';
import { scratchDirectory, startService } from '../start/service.js';
import { type Receiver, startReceiver } from './receiver.js';

async function receiving(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Every change by its record, and the messages that contained it. */
function messagesByRecord({ arrived }: Receiver): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, changes } of arrived) {
    for (const { record_id } of changes) found.set(record_id, (found.get(record_id) ?? new Set()).add(id));
  }
  return found;
}

it('two instances send each change in one message, once', async () => {
  const environment = { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' };
  const apps = await Promise.all([startOwnApp({ environment }), startOwnApp({ environment })]);
  onTestFinished(() => Promise.all(apps.map(app => app.close())).then(() => undefined));
  const [one] = apps;
  const { org } = await newHome(one);
  const owner = { key: (await newKey(one, org)).apiKey };
  const collection = await newCollection(one, { org, owner });
  const receiver = await receiving();
  const body = { url: receiver.url };
  const hook = await one.request('POST', `${collection.path}/webhooks`, { ...owner, body });
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) {
    const records = Array.from({ length: 20 }, (_, m) => ({ n, m }));
    const answers = apps.map(app => app.request('POST', collection.data, { ...owner, body: { records } }));
    for (const answer of await Promise.all(answers)) ids.push(...answer.body.ids);
    await pause(20);
  }
  await until(() => messagesByRecord(receiver).size === ids.length, 'all records');
  const settled = () =>
    one.sql('SELECT id, attempts, changes FROM webhook_deliveries WHERE webhook_id = $1 AND status = $2', [
      hook.body.id,
      'delivered',
    ]);
  await until(async () => (await settled()).length === receiver.arrived.length);
  const rows = await settled();
  expect([...messagesByRecord(receiver).values()].every(messages => messages.size === 1)).toBe(true);
  expect(new Set(receiver.arrived.map(({ id }) => id)).size).toBe(receiver.arrived.length);
  expect(rows.map(({ id }) => id).sort()).toEqual(receiver.arrived.map(({ id }) => id).sort());
  expect(rows.every(({ attempts }) => attempts === 1)).toBe(true);
  expect(rows.reduce((sum, { changes }) => sum + changes, 0)).toBe(1200);
});

it('an instance that is killed in the middle loses nothing: the next one sends its pending changes', async () => {
  const DATABASE_URL = await freshDatabaseUrl();
  const BOOTSTRAP_FILE = join(await scratchDirectory(), 'bootstrap.json');
  const OUTBOUND_ALLOW_INSECURE_HOSTS = '127.0.0.1';
  const settings = { DATABASE_URL, BOOTSTRAP_FILE, OUTBOUND_ALLOW_INSECURE_HOSTS, RATE_LIMITS: 'off' };
  let service = await startService(settings);
  const key = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8')).orgApiKey;
  const database = new pg.Client({ connectionString: DATABASE_URL });
  await database.connect();
  onTestFinished(() => database.end());
  const send = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'x-platform-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const receiver = await receiving();
  const { collection_id: id = '' } = await send('/v1/collections', { name: newName() });
  await send(`/v1/collections/${id}/webhooks`, { url: receiver.url });

  const sent: Promise<unknown>[] = [];
  for (let round = 0; round < 3; round++) {
    // When it is killed, some messages are being sent, some wait, and some changes are not in a message yet.
    if (round !== 1) receiver.answer = 'hold';
    const before = receiver.arrived.length;
    for (let n = 0; n < 25; n++) {
      const records = Array.from({ length: 50 }, (_, m) => ({ round, n, m }));
      sent.push(send(`/v1/collections/${id}/data`, { records }).catch(() => undefined));
    }
    await until(() => receiver.arrived.length > before, 'a message');
    service.child.kill('SIGKILL');
    await Promise.all([service.ended, ...sent]);
    service = await startService(settings);
    receiver.answer = 200;
    receiver.release(500);
  }
  const { rows } = await database.query('SELECT org_id FROM collections');
  const table = tableOf(rows[0].org_id, id);
  const written = await database.query(`SELECT _id::text AS id FROM ${table}`);
  expect(written.rowCount).toBeGreaterThan(100);
  await until(async () => {
    await database.query(
      `UPDATE webhook_deliveries SET due_at = now() WHERE status = 'pending' AND due_at > now()`,
    );
    return messagesByRecord(receiver).size === written.rowCount;
  }, 'all records');

  const delivered = messagesByRecord(receiver);
  expect([...delivered.keys()].sort()).toEqual(written.rows.map(row => row.id).sort());
  expect([...delivered.values()].every(messages => messages.size === 1)).toBe(true);
  // Repeated messages are identical to the first.
  const bodies = new Map(receiver.arrived.map(({ id, body }) => [id, body]));
  expect(receiver.arrived.every(({ id, body }) => bodies.get(id) === body)).toBe(true);
  const kept = await database.query('SELECT id::text, payload FROM webhook_deliveries');
  expect(new Map(kept.rows.map(row => [row.id, row.payload]))).toEqual(bodies);
}, 300_000);
