import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { distribute, undistribute } from '../../../src/engine/storage/citus/distribution.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { RecordExpiry } from '../../../src/features/records/expiry.service.js';
import { openLink } from '../../faults/support/link.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { freshCitusDatabaseUrl, ownCluster } from '../../harness/citus-database.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey } from '../orgs/org.js';
import { during } from '../schema/database.js';

const CITUS = { DATABASE_CITUS: 'on' };

describe('DATABASE_CITUS', () => {
  it('is refused at startup if the extension is not installed', async () => {
    await expect(startOwnApp({ environment: CITUS })).rejects.toThrow(/needs the extension citus/);
  });

  it('is refused together with replicas, because they would have no records', async () => {
    const environment = { ...CITUS, DATABASE_REPLICA_URLS: 'postgres://replica/db' };
    await expect(startOwnApp({ environment })).rejects.toThrow(/DATABASE_REPLICA_URLS/);
  });
});

// Needs three servers: test/citus/cluster.sh starts them.
describe.skipIf(inject('testServer').citusUrl === undefined)('organizations on Citus nodes', () => {
  let release: (() => Promise<void>) | undefined;
  let app: TestApp;
  let url: string;
  let homes: readonly [Home, Home];

  beforeAll(async () => {
    release = await ownCluster();
    url = await freshCitusDatabaseUrl();
    app = await startOwnApp({ environment: CITUS, database: { url } });
    // Citus uses the nodes in rotation.
    homes = [await newHome(app), await newHome(app)];
  }, 300_000);
  afterAll(async () => {
    await app?.close();
    await release?.();
  });

  it('have all tables of one organization on one node, and those of two organizations on different nodes', async () => {
    const collections = await Promise.all(homes.map(home => newCollection(app, home)));
    const nodes = await Promise.all(collections.map(nodesOf));
    expect(nodes.map(each => each.length)).toEqual([1, 1]);
    expect(nodes[0]).not.toEqual(nodes[1]);
  });

  it('store records, their event and the answer for retries together, or none of them', async () => {
    const wanted = { properties: { n: { type: 'integer' } }, uniques: [{ properties: ['n'] }] };
    const collection = await newCollection(app, homes[0], wanted);
    const send = (key: string, ...ns: number[]) =>
      app.request('POST', collection.data, {
        ...collection.owner,
        headers: { 'idempotency-key': key },
        body: { records: ns.map(n => ({ n })) },
      });
    const first = await send('one', 1, 2);
    expect(first.status).toBe(200);
    expect((await send('one', 1, 2)).text).toBe(first.text);
    expect((await send('two', 3, 1)).status).toBe(409);
    expect(await countsOf(collection)).toEqual({ records: 2, events: 1, kept: 1 });
  });

  it('are read by id by an instance that has the collection as it was before a change', async () => {
    const collection = await newCollection(app, homes[0], { properties: { n: { type: 'integer' } } });
    const [id = ''] = await insert(app, collection, { n: 1 });
    for (const max_records of [50, 60]) {
      await succeed(app, collection, 'PATCH', '', { settings: { max_records } });
      expect(await read(app, collection, id)).toMatchObject({ _id: id, n: 1 });
    }
  });

  it('lose no record and fail no request while the schema changes under load', async () => {
    const collection = await newCollection(app, homes[1], { properties: { n: { type: 'integer' } } });
    const answers: TestResponse[] = [];
    let acknowledged = 0;
    let isOver = false;
    const writer = async (first: number) => {
      for (let n = first; !isOver; n += 4) {
        const answer = await app.request('POST', collection.data, {
          ...collection.owner,
          body: { records: [{ n, [`c${n % 3}`]: String(n) }] },
        });
        answers.push(answer);
        if (answer.status === 200) acknowledged += 1;
      }
    };
    const reader = async () => {
      while (!isOver) answers.push(await query(collection, {}));
    };
    const changes = async () => {
      for (const name of ['c0', 'c1', 'c2']) {
        const answer = await app.request('PATCH', `${collection.path}/schema`, {
          ...collection.owner,
          body: { properties: { [name]: { type: 'text' } } },
        });
        expect(answer.status, answer.text).toBe(200);
        await pause(200);
      }
      isOver = true;
    };
    await Promise.all([writer(1), writer(2), writer(3), writer(4), reader(), changes()]);
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    const [{ total, lost, flexible }] = await app.sql(
      `SELECT count(*)::int AS total, count(*) FILTER (WHERE x <> '{}')::int AS flexible,
         count(*) FILTER (WHERE num_nonnulls(c2, c3, c4) <> 1)::int AS lost FROM ${collection.table}`,
    );
    expect({ total, lost, flexible }).toEqual({ total: acknowledged, lost: 0, flexible: 0 });
  });

  it('get 503 while their node is unreachable and recover without a restart; others are served', async () => {
    const [one, other] = await Promise.all(homes.map(home => newCollection(app, home)));
    if (one === undefined || other === undefined) throw new Error('no collections');
    const [port] = await nodesOf(one);
    if ((await nodesOf(other))[0] === port) throw new Error('both are on one node');
    const link = await openLink(`postgres://127.0.0.1:${port}/`);
    const instead = Number(new URL(link.url).port);
    const route = (from: number | undefined, to: number | undefined) =>
      app.sql(`SELECT citus_update_node(nodeid, nodename, $2) FROM pg_dist_node WHERE nodeport = $1`, [
        from,
        to,
      ]);
    await route(port, instead);
    try {
      const insert = async (collection: TestCollection) =>
        (await app.request('POST', collection.data, { ...collection.owner, body: { records: [{ n: 1 }] } }))
          .status;
      expect([await insert(one), await insert(other)]).toEqual([200, 200]);
      await link.cut();
      expect([await insert(one), (await query(one, {})).status]).toEqual([503, 503]);
      expect([await insert(other), (await query(other, {})).status]).toEqual([200, 200]);
      await link.mend();
      await expect.poll(() => insert(one), { timeout: 15_000 }).toBe(200);
    } finally {
      await route(instead, port);
      const unsynced = 'SELECT FROM pg_dist_node WHERE NOT metadatasynced';
      await expect.poll(() => app.sql(unsynced), { timeout: 60_000 }).toEqual([]);
    }
  });

  it('may take seconds for a statement', async () => {
    const { table } = await newCollection(app, homes[0]);
    const [schema] = table.split('.');
    const slow = `SELECT (SELECT count(*) FROM pg_sleep(5))::int AS slept FROM ${schema}.fences LIMIT 1`;
    expect(await app.sql(slow)).toEqual([{ slept: 1 }]);
  });

  it('move to another node under load without losing a record', async () => {
    const collection = await newCollection(app, homes[1], { properties: { n: { type: 'integer' } } });
    const [from] = await nodesOf(collection);
    const nodes = await app.sql(`SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards`);
    const to = nodes.find(({ nodeport }) => nodeport !== from);
    let acknowledged = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const answer = await app.request('POST', collection.data, {
          ...collection.owner,
          body: { records: [{ n: 1 }] },
        });
        if (answer.status === 200) acknowledged += 1;
      }
    };
    const schema = collection.table.split('.')[0];
    const move = async () => {
      await app.sql(`SELECT citus_schema_move('${schema}'::regnamespace, $1, $2::integer)`, [
        to?.nodename,
        to?.nodeport,
      ]);
      isOver = true;
    };
    await Promise.all([write(), write(), move()]);
    expect(await nodesOf(collection)).toEqual([to?.nodeport]);
    expect((await query(collection, {})).status).toBe(200);
    expect(acknowledged).toBeGreaterThan(0);
    expect(await countsOf(collection)).toMatchObject({ records: acknowledged, events: acknowledged });
  });

  it('give capacity of a quota back, and recover capacity that was lost', async () => {
    const collection = await newCollection(app, homes[0], { settings: { max_records: 400 } });
    const insert = (count: number) =>
      app.request('POST', collection.data, {
        ...collection.owner,
        body: { records: Array.from({ length: count }, () => ({})) },
      });
    expect((await insert(1)).status).toBe(200);
    const schema = collection.table.split('.')[0];
    await app.sql(`UPDATE ${schema}.record_quotas SET used = used + 60 WHERE collection_id = $1`, [
      collection.id,
    ]);
    await app.sql(
      `INSERT INTO ${schema}.quota_leases VALUES ($1, gen_random_uuid(), now() - interval '1 second')`,
      [collection.id],
    );
    expect((await insert(399)).status).toBe(200);
    expect((await insert(1)).status).toBe(422);
    const quota = async () => {
      const [row] = await app.sql(
        `SELECT used::int, (SELECT count(*)::int FROM ${schema}.quota_leases l WHERE l.collection_id = q.collection_id)
           AS leases FROM ${schema}.record_quotas q WHERE collection_id = $1`,
        [collection.id],
      );
      return row;
    };
    await expect.poll(quota).toEqual({ used: 400, leases: 0 });
  });

  it('have their expired records removed on every node', async () => {
    const collections = await Promise.all(homes.map(home => newCollection(app, home)));
    for (const { data, owner, table } of collections) {
      await app.request('POST', data, { ...owner, body: { records: [{ n: 1 }, { n: 2 }], ttl_days: 1 } });
      await app.sql(`UPDATE ${table} SET expires_at = now() - interval '1 hour' WHERE x->>'n' = '1'`);
    }
    await app.nest.get(RecordExpiry).removeAll(new AbortController().signal);
    for (const { table } of collections) {
      expect(await app.sql(`SELECT x->>'n' AS n FROM ${table}`)).toEqual([{ n: '2' }]);
    }
  });

  it('refuse change feeds and webhooks with the reason', async () => {
    const collection = await newCollection(app, homes[0]);
    const feed = await app.request('GET', `${collection.path}/changes`, collection.owner);
    expect([feed.status, feed.body.error]).toEqual([409, 'Conflict']);
    expect(feed.body.message).toContain('DATABASE_CITUS');
    const webhook = await app.request('POST', `${collection.path}/webhooks`, {
      ...collection.owner,
      body: { url: 'https://example.com/hook' },
    });
    expect([webhook.status, webhook.body.error]).toEqual([409, 'Conflict']);
  });

  it('keep a history, which is read, undone, restored and erased, also after a move', async () => {
    const collection = await newCollection(app, homes[0], { properties: { n: { type: 'integer' } } });
    const [id] = await insert(app, collection, { n: 1 });
    await succeed(app, collection, 'PATCH', `/data/${id}`, { $set: { n: 2 } });
    await pause(50);
    const as_of = new Date().toISOString();
    await pause(50);
    const [from] = await nodesOf(collection);
    const nodes = await app.sql('SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards');
    const to = nodes.find(({ nodeport }) => nodeport !== from);
    const schema = collection.table.split('.')[0];
    await app.sql(`SELECT citus_schema_move('${schema}'::regnamespace, $1, $2::integer)`, [
      to?.nodename,
      to?.nodeport,
    ]);
    await succeed(app, collection, 'PATCH', `/data/${id}`, { $set: { n: 3 } });
    const { items } = await succeed(app, collection, 'GET', `/data/${id}/history`);
    expect(items.map(({ record }: { record: { n: number } }) => record.n)).toEqual([3, 2, 1]);
    const starts = items.map(({ valid_from }: { valid_from: string }) => valid_from);
    expect(items.slice(1).map(({ valid_to }: { valid_to: string }) => valid_to)).toEqual(starts.slice(0, -1));
    const now = async () => (await succeed(app, collection, 'GET', `/data/${id}`)).record.n;
    const undo = { event_ids: [items[0].event_id] };
    expect(await succeed(app, collection, 'POST', '/undo', undo)).toMatchObject({ undone: 1 });
    expect(await now()).toBe(2);
    const then = await succeed(app, collection, 'GET', `/data/${id}?as_of=${as_of}`);
    expect(then.record.n).toBe(2);
    await succeed(app, collection, 'DELETE', `/data/${id}`);
    expect(await succeed(app, collection, 'POST', '/restore', { as_of })).toMatchObject({ restored: 1 });
    expect(await now()).toBe(2);
    await app.nest.get(VersionPruning).removeOld(new AbortController().signal);
    const erased = await succeed(app, collection, 'DELETE', `/data/${id}?erase=true`);
    expect(erased.deleted_count).toBe(1);
    const gone = await app.request('GET', `${collection.data}/${id}/history`, collection.owner);
    expect(gone.status).toBe(404);
  });

  /** Deletes an organization so that one of its tables is left. */
  async function deleteWhileUsed(app: TestApp): Promise<Home> {
    const former = await newHome(app);
    const { table } = await newCollection(app, former);
    await during(app, `LOCK TABLE ${table} IN ACCESS SHARE MODE`, () =>
      app.request('DELETE', former.org.path, former.owner),
    );
    expect(await hasSchema(app, former)).toBe(true);
    return former;
  }

  async function hasSchema(app: TestApp, { org }: Home): Promise<boolean> {
    return (await app.sql('SELECT FROM pg_namespace WHERE nspname = $1', [schemaOf(org.id)])).length > 0;
  }

  it('keep their history when they are distributed and moved back, and go on with it', async () => {
    const database = { url: await freshCitusDatabaseUrl() };
    const before = await startOwnApp({ environment: { DATABASE_CITUS: 'off' }, database });
    const { org } = await newHome(before);
    const owner = { key: (await newKey(before, org)).apiKey };
    const collection = await newCollection(before, { org, owner });
    const [id] = await insert(before, collection, { n: 1 });
    await succeed(before, collection, 'PATCH', `/data/${id}`, { $set: { n: 2 } });
    const left = await deleteWhileUsed(before);
    await before.close();
    const source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await distribute(source, () => {}).finally(() => source.destroy());
    const after = await startOwnApp({ environment: CITUS, database });
    let leftThere: Home;
    try {
      const { settings } = await succeed(after, collection, 'GET', '');
      expect(settings.history_days).toBe(7);
      await succeed(after, collection, 'PATCH', `/data/${id}`, { $set: { n: 3 } });
      const { items } = await succeed(after, collection, 'GET', `/data/${id}/history`);
      expect(items.map(({ record }: { record: { n: number } }) => record.n)).toEqual([3, 2, 1]);
      expect(await hasSchema(after, left)).toBe(false);
      leftThere = await deleteWhileUsed(after);
    } finally {
      await after.close();
    }
    const again = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await undistribute(again, () => {}).finally(() => again.destroy());
    const back = await startOwnApp({ environment: { DATABASE_CITUS: 'off' }, database });
    try {
      await succeed(back, collection, 'PATCH', `/data/${id}`, { $set: { n: 4 } });
      const { items } = await succeed(back, collection, 'GET', `/data/${id}/history`);
      expect(items.map(({ record }: { record: { n: number } }) => record.n)).toEqual([4, 3, 2, 1]);
      expect(await hasSchema(back, leftThere)).toBe(false);
    } finally {
      await back.close();
    }
  });

  it('prevent a start with the setting off', async () => {
    await expect(startOwnApp({ environment: { DATABASE_CITUS: 'off' }, database: { url } })).rejects.toThrow(
      /DATABASE_CITUS is off/,
    );
  });

  /** Ports of the nodes that hold tables of the collection's organization. */
  async function nodesOf({ table }: TestCollection): Promise<number[]> {
    const [schema] = table.split('.');
    const rows = await app.sql(
      `SELECT DISTINCT s.nodeport FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name
       WHERE c.relnamespace = '${schema}'::regnamespace`,
    );
    return rows.map(({ nodeport }) => nodeport);
  }

  async function countsOf({ table, id }: TestCollection): Promise<object> {
    const [schema] = table.split('.');
    const [row] = await app.sql(
      `SELECT (SELECT count(*)::int FROM ${table}) AS records,
         (SELECT count(*)::int FROM ${schema}.audit_events WHERE type = 'collections.records.inserted' AND target->>'id' = '${id}') AS events,
         (SELECT count(*)::int FROM ${schema}.idempotency_keys) AS kept`,
    );
    return row;
  }

  function query({ data, owner }: TestCollection, body: object): Promise<TestResponse> {
    return app.request('POST', `${data}/query`, { ...owner, body });
  }
});
