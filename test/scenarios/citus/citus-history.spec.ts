import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { freshCitusDatabaseUrl, ownCluster } from '../../harness/citus-database.js';
import { localServer } from '../../harness/citus-server.js';
import { type Home, insert, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { schemaOf, versionsOf } from '../../harness/tables.js';
import { newestEvent, newThings, state, undo, undone, writing } from '../history/undo.js';
import { newKey } from '../orgs/org.js';
import { checkHistories, RecordedWrites } from './recorded-writes.js';

const CITUS = { DATABASE_CITUS: 'on' };
const RECORDS = 3_000;

// Needs three servers: test/citus/cluster.sh starts them.
describe.skipIf(inject('testServer').citusUrl === undefined)('histories on Citus nodes', () => {
  let release: (() => Promise<void>) | undefined;
  let app: TestApp;
  let second: TestApp;
  let home: Home;

  beforeAll(async () => {
    release = await ownCluster();
    const database = { url: await freshCitusDatabaseUrl() };
    app = await startOwnApp({ environment: CITUS, database });
    second = await startOwnApp({ environment: CITUS, database });
    const { org } = await newHome(app);
    home = { org, owner: { key: (await newKey(app, org)).apiKey } };
  }, 300_000);
  afterAll(async () => {
    await second?.close();
    await app?.close();
    await release?.();
  });

  it('read values that look like SQL as values', async () => {
    const things = await newThings(app, home);
    const values = [
      "'; DROP TABLE x; --",
      "\\' $1 $2",
      '/* "pg_temp.put_back" */',
      '{"a":null}',
      '\\x00',
      '😀',
    ];
    const ids = await insert(
      app,
      things,
      ...values.map(text => ({ key: text, "it's $1": { [text.replace('.', ' ')]: text } })),
    );
    const before = await state(app, things);
    const as_of = new Date().toISOString();
    await pause(20);
    const event = await writing(app, things, 'PATCH', '/data', {
      filter: { key: { $ne: null } },
      update: { key: 'gone', "it's $1": 'gone' },
    });
    expect(await undone(app, things, { event_ids: [event] })).toMatchObject({ undone: ids.length });
    expect(await state(app, things)).toEqual(before);
    for (const [at, text] of values.entries()) {
      await succeed(app, things, 'DELETE', `/data/${ids[at]}`);
      const filter = { $or: [{ key: text }, { "it's $1": text }] };
      expect(await succeed(app, things, 'POST', '/restore', { as_of, filter })).toMatchObject({
        restored: 1,
      });
    }
    expect(await state(app, things)).toEqual(before);
    const nul = { as_of, filter: { key: 'a\0' } };
    expect((await app.request('POST', `${things.path}/restore`, { ...home.owner, body: nul })).status).toBe(
      400,
    );
  });

  it('lose no version when their organization moves under load', async () => {
    const things = await newThings(app, home);
    const ids = await insert(app, things, ...Array.from({ length: 12 }, () => ({ n: 0 })));
    const writes = new RecordedWrites(app, things, ids);
    await pause(20);
    const instants = [new Date()];
    let isOver = false;
    const write = async (own: readonly string[]) => {
      while (!isOver) await writes.next(own);
    };
    const look = async () => {
      for (; !isOver; await pause(200)) instants.push(new Date());
    };
    const move = async () => {
      await pause(300);
      await moveAway(things).finally(() => pause(300));
    };
    const moved = move().finally(() => {
      isOver = true;
    });
    await Promise.all([write(ids.slice(0, 4)), write(ids.slice(4, 8)), write(ids.slice(8)), look(), moved]);
    instants.push(new Date());
    expect(writes.acknowledged).toBeGreaterThan(20);
    await checkHistories(writes, instants);

    const before = await state(app, things);
    const [id] = ids as [string];
    const { items } = await succeed(app, things, 'GET', `/data/${id}/history?limit=2`);
    const answer = await undone(app, things, { event_ids: [items[0].event_id] });
    expect((await state(app, things))[id]).toMatchObject({ n: items[1].record.n });
    await undone(app, things, { event_ids: [answer.event_id] });
    expect(await state(app, things)).toEqual(before);
  });

  it('are undone once when two instances undo the same event', async () => {
    const { things, event, before } = await changed();
    const answers = await Promise.all(
      [app, second, app, second].map(one => undo(one, things, { event_ids: [event] })),
    );
    expect(answers.map(outcome)).toEqual(answers.map(() => [200, undefined]));
    expect(answers.map(({ body }) => body.undone).toSorted()).toEqual([0, 0, 0, RECORDS]);
    expect(await state(app, things)).toEqual(before);
    expect(await storedVersions(things)).toEqual({ versions: 2 * RECORDS, records: RECORDS });
  });

  // Would disturb the other files when every organization is on the cluster.
  it.skipIf(inject('testServer').allOnCitus).each([0, 100, 300, 600])(
    'are undone completely or not at all when the worker is killed %i ms after the undo has begun',
    async delay => {
      const { things, event, before, after } = await changed();
      const worker = await localServer(await nodeOf(things));
      const answer = undo(app, things, { event_ids: [event] });
      const running = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%run_on_node%' AND pid <> pg_backend_pid()`;
      await expect.poll(() => app.sql(running), { interval: 5 }).not.toEqual([]);
      await pause(delay);
      await worker.kill();
      const { status } = await answer;
      expect([200, 503]).toContain(status);
      await worker.start();
      const [{ name }] = await app.sql('SELECT current_database() AS name');
      await expect.poll(() => worker.sql(name, 'SELECT gid FROM pg_prepared_xacts')).toEqual([]);
      const found = async () => {
        const found = await state(app, things).catch(() => undefined);
        return JSON.stringify(found);
      };
      const both = [before, after].map(each => JSON.stringify(each));
      await expect.poll(async () => both.includes(await found())).toBe(true);
      const isUndone = (await found()) === both[0];
      if (status === 200) expect(isUndone).toBe(true);
      const repeated = await undone(second, things, { event_ids: [event] });
      expect(repeated.undone).toBe(isUndone ? 0 : RECORDS);
      expect(await state(second, things)).toEqual(before);
      expect(await storedVersions(things)).toEqual({ versions: 2 * RECORDS, records: RECORDS });
    },
  );

  /** A collection whose records have all been changed by one event. */
  async function changed() {
    const things = await newThings(app, home);
    for (let first = 0; first < RECORDS; first += 1_000)
      await insert(app, things, ...Array.from({ length: 1_000 }, (_, at) => ({ n: first + at })));
    const before = await state(app, things);
    const change = { filter: { n: { $gte: 0 } }, update: { n: -1, key: 'changed' } };
    await writing(app, things, 'PATCH', '/data', change);
    return { things, before, event: await newestEvent(app, things), after: await state(app, things) };
  }

  async function storedVersions({ id, orgId }: TestCollection): Promise<object> {
    const [row] = await app.sql(
      `SELECT count(*)::int AS versions, count(DISTINCT record_id)::int AS records
       FROM ${versionsOf(orgId, id)}`,
    );
    return row;
  }

  async function nodeOf({ orgId }: TestCollection): Promise<number> {
    const [{ nodeport }] = await app.sql(
      `SELECT nodeport FROM citus_shards WHERE table_name = '${schemaOf(orgId)}.inserted_ids'::regclass`,
    );
    return nodeport;
  }

  async function moveAway(things: TestCollection): Promise<void> {
    await app.sql(
      `SELECT citus_schema_move('${schemaOf(things.orgId)}'::regnamespace, nodename, nodeport) FROM pg_dist_node
       WHERE shouldhaveshards AND nodeport <> $1 LIMIT 1`,
      [await nodeOf(things)],
    );
  }
});
