import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { render } from '../../../src/base/sql/index.js';
import { OrgTurns } from '../../../src/features/changes/webhooks/org-turns.js';
import { claimStatement } from '../../../src/features/changes/webhooks/webhook-claim.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { until } from '../changes/feed.js';
import { type Arrived, type Receiver, startReceiver } from './receiver.js';

describe('messages of organizations', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let endpoint: Receiver;
  beforeAll(async () => {
    app = await startOwnApp({
      database: 'own',
      environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' },
    });
    home = await newHome(app);
    collection = await newCollection(app, home);
  });
  beforeEach(async () => {
    endpoint = await receiving();
  });
  afterAll(() => app.close());

  async function receiving(): Promise<Receiver> {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    return receiver;
  }

  /** Creates webhooks of a collection of an organization of their own. Returns the path of each. */
  async function webhooks(count: number, { url }: Receiver): Promise<{ at: TestCollection; path: string }[]> {
    const at = await newCollection(app, await newHome(app));
    onTestFinished(async () => void (await succeed(app, at, 'DELETE', '?permanent=true')));
    const created = Array.from({ length: count }, () => succeed(app, at, 'POST', '/webhooks', { url }));
    return (await Promise.all(created)).map(({ id }) => ({ at, path: `/webhooks/${id}` }));
  }

  const testAll = async (hooks: readonly { at: TestCollection; path: string }[], times: number) => {
    for (let n = 0; n < times; n++)
      await Promise.all(hooks.map(({ at, path }) => succeed(app, at, 'POST', `${path}/test`, {})));
  };
  /** Waits until another organization has received a message that was queued after all others. */
  async function anotherReceives(): Promise<void> {
    const other = await receiving();
    const { id } = await succeed(app, collection, 'POST', '/webhooks', { url: other.url });
    await succeed(app, collection, 'POST', `/webhooks/${id}/test`, {});
    await until(() => other.arrived.length === 1, 'the message of the other organization');
  }
  const webhookOf = ({ body }: Arrived): string => JSON.parse(body).data.webhook_id;

  it('are sent at once while all webhooks of another organization wait for slow endpoints', async () => {
    endpoint.answer = 'hold';
    const slow = await webhooks(8, endpoint);
    await testAll(slow, 10);
    await until(() => endpoint.held().length === 8, 'the share of the organization');
    await anotherReceives();
    expect(endpoint.held().length).toBeLessThanOrEqual(8);
  });

  it('are made without a question to organizations that have no change', async () => {
    const passes = vi.spyOn(OrgTurns.prototype, 'pass');
    onTestFinished(() => passes.mockRestore());
    const [[idle], [hook]] = [await webhooks(1, endpoint), await webhooks(2, endpoint)];
    // The prototype is shared by all services of this process, so other organizations may be asked.
    const asked = () => passes.mock.calls.flatMap(([ids]) => ids);
    const orgOf = async ({ id }: TestCollection) =>
      (await app.sql('SELECT org_id FROM collections WHERE id = $1', [id]))[0]?.org_id as string;
    const [idleOrg, org] = [await orgOf(idle!.at), await orgOf(hook!.at)];
    await until(() => asked().includes(org), 'the look that an active webhook causes');
    passes.mockClear();
    await succeed(app, hook!.at, 'POST', '/data', { records: [{}] });
    await until(() => endpoint.arrived.length === 2, 'the messages');
    expect(asked()).toContain(org);
    expect(asked()).not.toContain(idleOrg);
  });

  it('are made of a transaction that ends after changes that began later were sent', async () => {
    const [hook] = await webhooks(1, endpoint);
    const { at } = hook as { at: TestCollection };
    const other = await receiving();
    const [later] = await webhooks(1, other);
    const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO ${at.table} (_id, created_at, updated_at) VALUES (gen_random_uuid(), now(), now())`,
    );
    await succeed(app, later?.at as TestCollection, 'POST', '/data', { records: [{}] });
    await until(() => other.arrived.length === 1, 'the message of the later change');
    expect(endpoint.arrived).toEqual([]);
    await client.query('COMMIT');
    await until(() => endpoint.arrived.length === 1, 'the message of the earlier change');
  });

  it('are locked for sending only if they are sent now', async () => {
    const hooks = await webhooks(3, endpoint);
    const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    const ids = hooks.map(({ path }) => path.slice('/webhooks/'.length));
    // Not visible to the instance, which would send them.
    await client.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, changes, payload, created_at, due_at)
       SELECT gen_random_uuid(), w.id, 0, '{}', now(), now() FROM unnest($1::uuid[]) w(id), generate_series(1, 4)`,
      [ids],
    );
    const { text, values } = render(claimStatement([]));
    const claimed = await client.query(`EXPLAIN (ANALYZE, TIMING off, COSTS off) ${text}`, values);
    const plan = claimed.rows.map(row => row['QUERY PLAN']).join('\n');
    // Of the 12 messages of the organization, its share of 8.
    expect(plan).toMatch(/LockRows \(actual rows=8(?:\.00)? /);
    await client.query('ROLLBACK');
  });

  it('are sent at once while failing webhooks of many organizations wait, each with one message', async () => {
    endpoint.answer = 500;
    const failing = (await Promise.all([1, 2, 3, 4, 5].map(() => webhooks(4, endpoint)))).flat();
    await testAll(failing, 1);
    for (const { at, path } of failing)
      await until(async () => (await succeed(app, at, 'GET', path)).failing_since !== null, 'a failure');
    endpoint.answer = 'hold';
    await testAll(failing, 5);
    await until(() => endpoint.held().length === 8, 'the share of failing webhooks');
    await anotherReceives();
    const held = endpoint.held().map(webhookOf);
    expect(held.length).toBeLessThanOrEqual(8);
    expect(new Set(held).size).toBe(held.length);
  });
});
