import { expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { everyRecord, newHome, newTypedCollection, type TestCollection } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { during } from '../schema/database.js';
import { importFile } from './transfer.js';

/** Lets the collection look as if the build of its unique constraint had not finished. */
async function building(app: TestApp, { id, table }: TestCollection): Promise<void> {
  const [{ name }] = await app.sql(
    `SELECT indexrelid::regclass::text AS name FROM pg_index
     WHERE indrelid = $1::regclass AND indisunique AND NOT indisprimary`,
    [table],
  );
  await app.sql(`DROP INDEX ${name}`);
  await app.sql(`UPDATE collections SET status = 'building', version = version + 1 WHERE id = $1`, [id]);
}

const upsertFile = (app: TestApp, collection: TestCollection) =>
  importFile(app, collection, 'title\r\nEmma\r\n', { query: { mode: 'upsert', upsert_key: 'title' } });

it.each([
  ['an import', upsertFile],
  [
    'a bulk upsert',
    (app: TestApp, { data, owner }: TestCollection) =>
      app.request('POST', `${data}/bulk`, {
        ...owner,
        body: { records: [{ title: 'Emma' }], upsert_key: 'title' },
      }),
  ],
])(
  'an import and %s with the same new key make one record while the index of its unique is being built',
  async (_, send) => {
    const app = await startApp();
    const home = await newHome(app);
    const collection = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
    await building(app, collection);
    const waiting = () =>
      app.sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    // An import takes its quota last, so it waits when it has written its records.
    const quota = `SELECT FROM ${schemaOf(home.org.id)}.record_quotas WHERE collection_id = '${collection.id}' FOR UPDATE`;
    const sent = await during(app, quota, async () => {
      const first = upsertFile(app, collection);
      await expect.poll(async () => (await waiting()).length).toBe(1);
      const second = send(app, collection);
      await expect.poll(async () => (await waiting()).length).toBe(2);
      return [first, second];
    });
    for (const { status } of await Promise.all(sent)) expect([200, 201]).toContain(status);
    expect((await everyRecord(app, collection)).map(({ title }) => title)).toEqual(['Emma']);
  },
);
