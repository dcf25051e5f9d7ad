import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Schedule } from '../../../src/app/jobs/schedule.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { eventsOf, newCollection, newHome } from '../../harness/collection.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const RECORDS = 12_000;
const BATCH = 5_000;
let app: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
});
afterAll(() => app.close());

it('a job whose process is killed in the middle is completed by another instance without repeating work', async () => {
  const collection = await newCollection(app, await newHome(app));
  const { table, id } = collection;
  await app.sql('UPDATE collections SET may_expire = true WHERE id = $1', [id]);
  await app.sql(
    `INSERT INTO ${table} (_id, created_at, updated_at, expires_at)
     SELECT gen_random_uuid(), now(), now(), now() - interval '1 minute' FROM generate_series(1, ${RECORDS})`,
  );
  // The second batch waits until the test continues it.
  await app.sql(`
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM ${table}) < ${RECORDS - BATCH} THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER waiting AFTER DELETE ON ${table} EXECUTE FUNCTION wait_for_test()`);
  const holder = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(4711)');

  const child = spawn(process.execPath, [WORKER, 'removeExpiredRecords'], {
    stdio: 'inherit',
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: app.settings.DATABASE_URL,
      SECRETS_MASTER_KEYS: app.settings.SECRETS_MASTER_KEYS.join(','),
    },
  });
  const ended = once(child, 'exit');
  const waiting = async () =>
    (await app.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`))
      .length;
  await expect.poll(waiting).toBe(1);
  child.kill('SIGKILL');
  await ended;
  await holder.end();

  const row = async () =>
    (await app.sql(`SELECT finished_at, counts FROM job_runs WHERE name = 'remove-expired-records'`))[0];
  expect(await row()).toEqual({ finished_at: null, counts: null });
  const schedule = app.nest.get(Schedule, { strict: false });
  // Right after the kill, the job could still be running on another instance.
  await schedule.finishKilledJobs();
  expect(await row()).toEqual({ finished_at: null, counts: null });
  await app.sql(`UPDATE job_runs SET started_at = started_at - interval '1 minute'`);
  await schedule.finishKilledJobs();
  expect(await row()).toEqual({ finished_at: expect.any(Date), counts: expect.any(Object) });
  expect(await app.sql(`SELECT FROM ${table}`)).toEqual([]);
  const expired = (await eventsOf(app, collection)).filter(
    ({ type }) => type === 'collections.records.expired',
  );
  expect(expired.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(RECORDS);

  await app.sql(`UPDATE job_runs SET started_at = started_at - interval '1 minute'`);
  const before = await row();
  await schedule.finishKilledJobs();
  expect(await row()).toEqual(before);
});
