import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

/** More than the number of connections for reads by id. */
const READERS = 12;

describe('a table that is locked, for example by a schema change', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  // Statements in use are prepared already; those of a collection that was never read are prepared under the
  // lock.
  it.each([0, 3])('lets its readers wait, and nobody else, after %i reads', async warm => {
    const [locked, other] = [await newTypedCollection(app, home), await newTypedCollection(app, home)];
    const [[lockedId = ''], [otherId = '']] = [
      await insert(app, locked, EMMA),
      await insert(app, other, EMMA),
    ];
    for (let each = 0; each < warm; each++) await read(app, locked, lockedId);
    const runner = app.nest.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`LOCK TABLE ${locked.table} IN ACCESS EXCLUSIVE MODE`);
      let answered = 0;
      const waiting = Array.from({ length: READERS }, async () => {
        const record = await read(app, locked, lockedId);
        answered++;
        return record?._id;
      });
      for (let each = 0; each < READERS; each++) expect((await read(app, other, otherId))._id).toBe(otherId);
      expect(answered).toBe(0);
      await runner.commitTransaction();
      expect(await Promise.all(waiting)).toEqual(Array(READERS).fill(lockedId));
    } finally {
      await runner.release();
    }
  });

  it('delays its users until the statement timeout, which is a 503 without a write', async () => {
    const collection = await newTypedCollection(app, home);
    const [id = ''] = await insert(app, collection, EMMA);
    const before = await eventsOf(app, collection);
    const hasty = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { DATABASE_STATEMENT_TIMEOUT_MS: '500' },
    });
    const { apiKey: key } = await newKey(app, home.org);
    const ask = (method: string, path: string, body?: object) =>
      hasty.request(method, `${collection.data}${path}`, { key, body });
    const runner = app.nest.get(DataSource).createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.query(`LOCK TABLE ${collection.table} IN ACCESS EXCLUSIVE MODE`);
      const direct = await Promise.all([
        ask('POST', '', { records: EMMA }),
        ask('POST', '/bulk', { records: [EMMA] }),
        ask('PATCH', `/${id}`, { year: 1 }),
        ask('DELETE', `/${id}`),
      ]);
      expect(direct.map(outcome)).toEqual(Array(4).fill([503, 'Unavailable']));
      for (const { headers } of direct) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      const filter = { title: { $regex: 'm' } };
      const searching = await Promise.all([
        ask('PATCH', '', { filter, update: { year: 1 } }),
        ask('POST', '/upsert', { data: EMMA, match_fields: ['title'] }),
      ]);
      expect(searching.map(outcome)).toEqual(Array(2).fill([503, 'Unavailable']));
      await runner.commitTransaction();
      expect(await read(app, collection, id)).toMatchObject(EMMA);
      expect(await eventsOf(app, collection)).toEqual(before);
    } finally {
      await runner.release();
      await hasty.close();
    }
  });

  it('refuses all its readers with 503 if it stays locked', async () => {
    const impatient = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { PUBLIC_URL: app.url, DATABASE_STATEMENT_TIMEOUT_MS: '500' },
    });
    const locked = await newTypedCollection(app, home);
    const [id = ''] = await insert(app, locked, EMMA);
    for (let each = 0; each < 3; each++) await read(impatient, locked, id);
    const runner = app.nest.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`LOCK TABLE ${locked.table} IN ACCESS EXCLUSIVE MODE`);
      const path = `${locked.data}/${id}`;
      const answers = await Promise.all(
        Array.from({ length: READERS }, () => impatient.request('GET', path, home.owner)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(READERS).fill(503));
    } finally {
      await runner.release();
      await impatient.close();
    }
  });
});
