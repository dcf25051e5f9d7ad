import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { PlatformError } from '../../../src/base/kernel/errors.js';
import { Collection } from '../../../src/features/collections/collection.entity.js';
import { OnlineChangeSteps } from '../../../src/features/collections/schema/online-change-steps.service.js';
import { OnlineChanges } from '../../../src/features/collections/schema/online-changes.service.js';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  search,
  type TestCollection,
  triggersOf,
} from '../../harness/collection.js';
import { now, pulled } from '../changes/feed.js';
import { newKey } from '../orgs/org.js';
import { guest } from '../sharing/sharing.js';
import { changeSchema, during, indexesOf, until } from './database.js';
import {
  change as changeSchemaBy,
  cleaning,
  copying,
  largeCollection as newLargeCollection,
  PADDING,
  ROWS,
  whileHeld,
} from './large-collection.js';

/** The triggers of a collection that keeps its history. */
const KEEPING = ['keep_deleted', 'keep_updated'];

describe('a change of the schema of a large collection', () => {
  let app: TestApp;
  let home: Home;
  let other: TestApp | undefined;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  afterEach(async () => {
    await other?.close();
    other = undefined;
  });

  const largeCollection = (wanted: object = {}) => newLargeCollection(app, home, wanted);
  const get = async ({ path, owner }: TestCollection) => (await app.request('GET', path, owner)).body;
  const change = (collection: TestCollection, properties: object, by = app) =>
    changeSchemaBy(by, collection, properties);
  const abandon = ({ path, owner }: TestCollection, caller = owner) =>
    app.request('DELETE', `${path}/schema/change`, caller);
  const update = ({ data, owner }: TestCollection, filter: object, set: object) =>
    app.request('PATCH', data, { ...owner, body: { filter, update: { $set: set } } });
  const count = async ({ data, owner }: TestCollection, filter: object) => {
    const text = encodeURIComponent(JSON.stringify(filter));
    return (await app.request('GET', `${data}/count?filter=${text}`, owner)).body.count;
  };
  const isReady = (collection: TestCollection) => async () => (await get(collection)).status === 'ready';
  const columnsOf = async ({ table }: TestCollection) =>
    (
      await app.sql(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
         ORDER BY attname`,
        [table],
      )
    ).map(({ name }) => name);
  /** Runs `work` while a change is running that cannot copy the record with `n` 2001, and lets it continue then. */
  const whileCopying = (
    collection: TestCollection,
    properties: object,
    work: () => Promise<void>,
    by = app,
  ) => {
    const start = () => changeSchema(by, collection, properties);
    return whileHeld(app, collection, copying(app, collection), start, work);
  };

  it('takes over flexible fields, converts columns and indexes, and ends with its event', async () => {
    const collection = await largeCollection({
      indexes: [{ properties: ['code'] }],
      uniques: [{ properties: ['n', 'code'] }],
    });
    const answer = await change(collection, {
      city: { type: 'text' },
      code: { type: 'integer', nullable: false },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.schema.code).toEqual({ type: 'integer', nullable: false });
    expect(answer.body).not.toHaveProperty('status');
    const after = await get(collection);
    expect(after).toMatchObject({ status: 'ready', schema: answer.body.schema });
    expect(after).not.toHaveProperty('change');
    expect(await count(collection, { city: { $ne: null }, code: { $gte: 0 } })).toBe(ROWS * 0.9);
    expect(await count(collection, { code: 17, city: 'city 17' })).toBe(1);
    const { records } = await search(app, collection, { filter: { n: 17 } });
    expect(records[0]).toMatchObject({ n: 17, code: 17, city: 'city 17', pad: PADDING });
    const [{ kept }] = await app.sql(`SELECT count(*)::int AS kept FROM ${collection.table} WHERE x <> '{}'`);
    expect(kept).toBe(0);
    expect(await indexesOf(app, collection)).toEqual(['index(c4,_id)', 'unique(c1,c4)']);
    expect(await columnsOf(collection)).toEqual([
      '_id',
      'c1',
      'c3',
      'c4',
      'c5',
      'created_at',
      'created_by',
      'expires_at',
      'updated_at',
      'updated_by',
      'version',
      'x',
    ]);
    expect(await triggersOf(app, collection)).toEqual(KEEPING);
    const [{ not_null }] = await app.sql(
      `SELECT attnotnull AS not_null FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'c4'`,
      [collection.table],
    );
    expect(not_null).toBe(true);
    const event = (await eventsOf(app, collection)).at(-1);
    expect(event).toMatchObject({
      type: 'collections.schema.updated',
      actor: { via: 'rest' },
      changes: { before: { city: null }, after: { city: { type: 'text', nullable: true } } },
    });
    expect(
      outcome(
        await app.request('POST', collection.data, { ...collection.owner, body: { records: [{ n: -1 }] } }),
      ),
    ).toEqual([400, 'InvalidArguments']);
  });

  it('keeps every write that was acknowledged while it ran, and refuses none', async () => {
    const collection = await largeCollection();
    const { data, owner } = collection;
    const expected = new Map<number, string>();
    const ids: string[] = (await search(app, collection, { filter: {}, limit: 100 })).records.map(
      ({ _id }: { _id: string }) => _id,
    );
    let next = ROWS;
    let ended = false;
    const refusals: string[] = [];
    const send = async (method: string, path: string, body?: object) => {
      const answer = await app.request(method, path, { ...owner, ...(body && { body }) });
      if (answer.status !== 200) refusals.push(`${method} ${path.slice(-5)} ${answer.text}`);
      return answer;
    };
    const writer = async (at: number) => {
      for (let round = 0; !ended; round++) {
        const n = next++;
        await send('POST', data, { records: [{ n, code: `code ${n}`, city: `new ${n}` }] });
        expected.set(n, `new ${n}`);
        const id = ids[(round * 4 + at) % ids.length];
        await send('PATCH', `${data}/${id}`, { $set: { city: `set ${n}` } });
        await send('PATCH', data, { filter: { n }, update: { $set: { city: `again ${n}` } } });
        expected.set(n, `again ${n}`);
        const read = await send('POST', `${data}/query`, { filter: { n, city: `again ${n}` } });
        const [record] = read.body.records ?? [];
        if (record?.n !== n) refusals.push(`read ${n}: ${read.text}`);
        else if (round % 3 === 0) {
          await send('POST', `${data}/batch`, {
            operations: [{ delete: { _id: record._id } }],
          });
          expected.delete(n);
        }
      }
    };
    const writers = [0, 1, 2, 3].map(writer);
    try {
      await until(async () => expected.size > 20);
      const answer = await changeSchema(app, collection, { city: { type: 'text' }, n: { type: 'double' } });
      expect(answer.status).toBe(200);
      await until(async () => expected.size > 40);
    } finally {
      ended = true;
      await Promise.all(writers);
    }
    expect(refusals).toEqual([]);
    const rows = await app.sql(
      `SELECT c4::int AS n, c5 AS city, c2 AS code FROM ${collection.table} WHERE c4 >= ${ROWS}`,
    );
    expect(new Map(rows.map(({ n, city }) => [n, city]))).toEqual(expected);
    expect(rows.every(({ n, code }) => code === `code ${n}`)).toBe(true);
    const [{ lost }] = await app.sql(
      `SELECT count(*)::int AS lost FROM ${collection.table}
       WHERE c4 < ${ROWS} AND c4::int % 10 > 0 AND c5 <> 'city ' || c4 AND c5 NOT LIKE 'set %' OR x <> '{}'`,
    );
    expect(lost).toBe(0);
  });

  it('ends while records are inserted, and takes over a field that only they have, once', async () => {
    const collection = await largeCollection({ settings: { max_records: 1_000_000 } });
    let ended = false;
    const writing = (async () => {
      let n = ROWS;
      for (; !ended; n++) await insert(app, collection, { n, fresh: `fresh ${n}` });
      return n - ROWS;
    })();
    const changed = changeSchema(app, collection, { fresh: { type: 'text' } }).finally(() => {
      ended = true;
    });
    expect((await changed).status).toBe(200);
    const written = await writing;
    expect(written).toBeGreaterThan(0);
    const [{ found, copies }] = await app.sql(
      `SELECT count(*) FILTER (WHERE c4 = 'fresh ' || c1)::int AS found, count(*) FILTER (WHERE x ? 'fresh')::int AS copies
       FROM ${collection.table}`,
    );
    expect({ found, copies }).toEqual({ found: written, copies: 0 });
  });

  it('is refused when a record does not fit, changes nothing, and shows why', async () => {
    const collection = await largeCollection();
    const [id] = await insert(app, collection, { n: -1, code: 'not a number' });
    const answer = await change(collection, { code: { type: 'integer' }, city: { type: 'text' } });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.details).toEqual([expect.objectContaining({ _id: id, column: 'code' })]);
    const { status, schema, change: failed } = await get(collection);
    expect({ status, code: schema.code }).toEqual({
      status: 'ready',
      code: { type: 'text', nullable: true },
    });
    expect(failed).toMatchObject({
      state: 'failed',
      error: { error: 'InvalidArguments', details: answer.body.details },
    });
    expect(await columnsOf(collection)).not.toContain('c4');
    await update(collection, { n: -1 }, { code: '-1' });
    expect((await change(collection, { code: { type: 'integer' } })).status).toBe(200);
    expect(await get(collection)).not.toHaveProperty('change');
  });

  it('fails because of a write that fits the present schema only, which is accepted', async () => {
    const collection = await largeCollection();
    let written: string[] = [];
    const answer = await whileCopying(collection, { code: { type: 'integer' } }, async () => {
      written = await insert(app, collection, { n: -1, code: 'text' }, { n: -2, code: '2' });
      const move = `move_${collection.id.replaceAll('-', '')}`;
      const [{ settings }] = await app.sql('SELECT proconfig AS settings FROM pg_proc WHERE proname = $1', [
        move,
      ]);
      // Otherwise PostgreSQL plans the conversion of hundreds of columns again for each record that is written.
      expect(settings).toContain('plan_cache_mode=force_generic_plan');
    });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.details).toEqual([expect.objectContaining({ _id: written[0], column: 'code' })]);
    expect((await get(collection)).change.error.details).toEqual(answer.body.details);
    expect(await read(app, collection, written[0] as string)).toMatchObject({ code: 'text' });
    expect(await triggersOf(app, collection)).toEqual(KEEPING);
    expect((await eventsOf(app, collection)).map(({ type }) => type)).not.toContain(
      'collections.schema.updated',
    );
  });

  it('ignores a misfit that was corrected or deleted before the end', async () => {
    const collection = await largeCollection();
    const answer = await whileCopying(
      collection,
      { code: { type: 'integer', nullable: false } },
      async () => {
        const [, gone] = await insert(app, collection, { n: -1 }, { n: -2, code: 'x' });
        await update(collection, { n: -1 }, { code: '1' });
        expect((await app.request('DELETE', `${collection.data}/${gone}`, collection.owner)).status).toBe(
          200,
        );
      },
    );
    expect(answer.status).toBe(200);
    expect(await count(collection, { code: 1 })).toBe(2);
  });

  it('answers 202 after ten seconds, refuses a second change, and goes on', async () => {
    const collection = await largeCollection();
    const { path, owner } = collection;
    const answer = await during(app, `SELECT FROM ${collection.table} LIMIT 1`, async () => {
      const late = await change(collection, { city: { type: 'text' } });
      expect(outcome(await change(collection, { more: { type: 'text' } }))).toEqual([409, 'Conflict']);
      const body = { indexes: [{ properties: ['n'] }] };
      expect(outcome(await app.request('POST', `${path}/indexes`, { ...owner, body }))).toEqual([
        409,
        'Conflict',
      ]);
      const { status, schema, change: running } = await get(collection);
      expect({ status, schema }).toEqual({ status: 'building', schema: late.body.schema });
      expect(running).toMatchObject({ state: 'running', error: null });
      expect(running.total_rows).toBeGreaterThanOrEqual(running.done_rows);
      expect(await count(collection, { city: 'city 5' })).toBe(1);
      return late;
    });
    expect(answer.status).toBe(202);
    expect(answer.body.status).toBe('building');
    expect(answer.body.schema).not.toHaveProperty('city');
    await until(isReady(collection));
    expect((await get(collection)).schema.city).toEqual({ type: 'text', nullable: true });
  });

  it('can be abandoned by an admin, and leaves nothing behind', async () => {
    const collection = await largeCollection();
    const editor = await guest(app, home.org, collection, 'editor');
    expect(outcome(await abandon(collection))).toEqual([404, 'NotFound']);
    const before = await columnsOf(collection);
    const answer = await whileCopying(collection, { city: { type: 'text' } }, async () => {
      expect(outcome(await abandon(collection, { token: editor.token }))).toEqual([403, 'Forbidden']);
      expect(await abandon(collection)).toMatchObject({ status: 200, body: { abandoned: true } });
      expect(outcome(await abandon(collection))).toEqual([404, 'NotFound']);
    });
    expect(outcome(answer)).toEqual([409, 'Conflict']);
    await until(isReady(collection));
    expect(await get(collection)).not.toHaveProperty('change');
    expect(await columnsOf(collection)).toEqual(before);
    expect(await triggersOf(app, collection)).toEqual(KEEPING);
    expect((await eventsOf(app, collection)).at(-1)?.type).toBe('collections.schema.abandoned');
    expect((await change(collection, { city: { type: 'text' } })).status).toBe(200);
  });

  it('is continued by another instance when its own is gone, in the name of the one who asked for it', async () => {
    const collection = await largeCollection();
    other = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
    const dying = other;
    const { apiKey, id } = await newKey(app, home.org);
    const caller = { key: apiKey };
    const answer = whileCopying(
      { ...collection, owner: caller },
      { city: { type: 'text' } },
      () => dying.close(),
      dying,
    );
    await expect(answer).rejects.toThrow('other side closed');
    await until(async () => {
      await app.nest.get(OnlineChanges).finishInterrupted();
      return (await get(collection)).status === 'ready';
    });
    expect(await count(collection, { city: 'city 7' })).toBe(1);
    expect((await get(collection)).schema).toHaveProperty('city');
    expect((await eventsOf(app, collection)).at(-1)).toMatchObject({
      type: 'collections.schema.updated',
      actor: { type: 'key', id, via: 'rest' },
    });
    other = undefined;
  });

  it('is stopped when its instance loses the lock, and is continued then', async () => {
    const collection = await largeCollection();
    const sessions = `FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'typed-collections index build'`;
    const answer = await whileCopying(collection, { city: { type: 'text' } }, async () => {
      await app.sql(`SELECT pg_terminate_backend(pid) ${sessions} AND state = 'idle in transaction'`);
      await until(async () => (await app.sql(`SELECT ${sessions}`)).length === 0);
    });
    expect(outcome(answer)).toEqual([503, 'Unavailable']);
    expect((await get(collection)).status).toBe('building');
    await app.nest.get(OnlineChanges).finishInterrupted();
    expect((await get(collection)).status).toBe('ready');
    expect(await count(collection, { city: 'city 7' })).toBe(1);
  });

  it('keeps the changed schema when an instance that has lost its lock takes the change back too late', async () => {
    const collection = await largeCollection();
    const entity = () =>
      app.nest.get(DataSource).getRepository(Collection).findOneByOrFail({ id: collection.id });
    const before = await entity();
    const answer = await whileHeld(
      app,
      collection,
      cleaning(app, collection),
      () => change(collection, { city: { type: 'text' }, code: { type: 'integer' } }),
      async () => {
        const [{ id }] = await app.sql('SELECT id FROM schema_changes WHERE collection_id = $1', [
          collection.id,
        ]);
        const lost = new AbortController().signal;
        const late = { id, call: platformCall('job'), before, after: await entity(), lost };
        await app.nest.get(OnlineChangeSteps).undo(late, new PlatformError('Conflict', 'it was abandoned'));
      },
    );
    expect(answer.status).toBe(200);
    expect(await count(collection, { city: 'city 7', code: 7 })).toBe(1);
    const shown = await get(collection);
    expect(shown).toMatchObject({ status: 'ready', schema: answer.body.schema });
    expect(shown).not.toHaveProperty('change');
  });

  /** Runs `work`, and resolves to the numbers of records that the updates of the collection wrote meanwhile. */
  const slicesOf = async ({ table }: TestCollection, work: () => Promise<void>): Promise<number[]> => {
    await app.sql('CREATE TABLE slices (rows float8)');
    try {
      await app.sql(`CREATE FUNCTION note_slice() RETURNS trigger LANGUAGE plpgsql AS
        $f$ BEGIN INSERT INTO slices SELECT count(*) FROM written; RETURN NULL; END $f$`);
      await app.sql(`CREATE TRIGGER note_slice AFTER UPDATE ON ${table} REFERENCING NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION note_slice()`);
      await work();
      return (await app.sql('SELECT rows FROM slices')).map(({ rows }) => rows);
    } finally {
      await app.sql('DROP FUNCTION note_slice() CASCADE; DROP TABLE slices');
    }
  };
  const total = (rows: readonly number[]) => rows.reduce((sum, each) => sum + each, 0);

  it('writes few records at once when their values are long', async () => {
    const collection = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
    for (let n = 0; n < 8; n++)
      await insert(app, collection, { n, city: 'Lyon', noise: randomBytes(768 * 1024).toString('base64') });
    const slices = await slicesOf(collection, async () => {
      expect((await change(collection, { city: { type: 'text' } })).status).toBe(200);
    });
    expect(total(slices)).toBe(16);
    expect(Math.max(...slices)).toBeLessThan(6);
  });

  it('writes many records at once also when every transaction takes long, however few they are', async () => {
    const collection = await largeCollection();
    await app.sql(`
      CREATE FUNCTION wait_for_the_network() RETURNS trigger LANGUAGE plpgsql AS
        $f$ BEGIN PERFORM pg_sleep(0.06); RETURN NULL; END $f$;
      CREATE TRIGGER slow AFTER UPDATE ON schema_changes FOR EACH STATEMENT EXECUTE FUNCTION wait_for_the_network()`);
    try {
      const slices = await slicesOf(collection, async () => {
        expect((await changeSchema(app, collection, { city: { type: 'text' } })).status).toBe(200);
      });
      expect(total(slices)).toBe(2 * ROWS * 0.9);
      expect(slices.length).toBeLessThan(150);
    } finally {
      await app.sql('DROP FUNCTION wait_for_the_network() CASCADE');
    }
  });

  it('writes many records at once also after another writer had locked some of them for two seconds', async () => {
    const collection = await largeCollection();
    const firstSlice = { ...copying(app, collection), held: 'OLD.c1 = 1' };
    const slices = await slicesOf(collection, async () => {
      const start = () => changeSchema(app, collection, { city: { type: 'text' } });
      const answer = await whileHeld(app, collection, firstSlice, start, () => pause(2_000));
      expect(answer.status).toBe(200);
    });
    expect(slices[0]).toBe(200);
    expect(slices[1]).toBeGreaterThan(20);
  });

  it('ends when the collection is deleted, and goes on when it is restored', async () => {
    const collection = await largeCollection();
    const { path, owner, id } = collection;
    const answer = await whileCopying(collection, { city: { type: 'text' } }, async () => {
      expect((await app.request('DELETE', path, owner)).status).toBe(200);
    });
    expect(outcome(answer)).toEqual([404, 'CollectionNotFound']);
    const restored = await app.request('POST', `/v1/trash/collections/${id}/restore`, owner);
    expect(restored.status).toBe(200);
    await until(isReady(collection));
    expect((await get(collection)).schema).toHaveProperty('city');
    expect(await count(collection, { city: 'city 7' })).toBe(1);
  });

  it('is no change of records for those who follow them', async () => {
    const collection = await largeCollection();
    const since = await now(app, collection);
    expect((await change(collection, { city: { type: 'text' } })).status).toBe(200);
    await update(collection, { n: 7 }, { city: 'moved' });
    const changes = await pulled(app, collection, since);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ type: 'updated', record: { n: 7, city: 'moved' } });
  });

  it('stores its response for a retry with the same key', async () => {
    const collection = await largeCollection();
    const request = {
      ...collection.owner,
      headers: { 'idempotency-key': randomUUID() },
      body: { properties: { city: { type: 'text' } } },
    };
    const first = await app.request('PATCH', `${collection.path}/schema`, request);
    const second = await app.request('PATCH', `${collection.path}/schema`, request);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(
      (await eventsOf(app, collection)).filter(({ type }) => type === 'collections.schema.updated'),
    ).toHaveLength(1);
  });

  it('shows a field once while records still have a copy of it', async () => {
    const collection = await newCollection(app, home, { properties: { city: { type: 'text' } } });
    const [id] = await insert(app, collection, { city: 'Lyon', color: 'red' });
    await app.sql(`UPDATE ${collection.table} SET x = x || '{"city": "old"}'`);
    await app.sql(`UPDATE collections SET leftovers = '{city}', version = version + 1 WHERE id = $1`, [
      collection.id,
    ]);
    const { data, owner, path } = collection;
    const texts = await Promise.all([
      app.request('GET', `${data}/${id}`, owner),
      app.request('POST', `${data}/query`, { ...owner, body: { filter: {}, preview: 20, cursor: '' } }),
      app.request('POST', `${data}/query`, { ...owner, body: { filter: {}, fields: ['city', 'color'] } }),
      app.request('GET', `${path}/export?format=ndjson`, owner),
      app.request('GET', `${path}/export?format=csv`, owner),
    ]);
    for (const { status, text } of texts) {
      expect(status).toBe(200);
      expect(text.match(/city/g)).toHaveLength(1);
      expect(text).toContain('Lyon');
      expect(text).not.toContain('old');
    }
    await update(collection, { city: 'Lyon' }, { color: 'blue' });
    expect(await read(app, collection, id as string)).toMatchObject({ city: 'Lyon', color: 'blue' });
  });
});
