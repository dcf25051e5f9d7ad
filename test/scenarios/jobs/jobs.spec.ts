import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { JobRunner } from '../../../src/app/jobs/job-runner.js';
import { Schedule } from '../../../src/app/jobs/schedule.js';
import { ChangePruning } from '../../../src/features/changes/change-feeds.service.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { CredentialChanges } from '../../../src/platform/database/credential-changes.js';
import { LoneWork } from '../../../src/platform/database/lone-work.js';
import { StoredResponses } from '../../../src/platform/idempotency/stored-responses.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { onCitus } from '../../harness/on-citus.js';
import { databaseUse } from '../../harness/round-trips.js';
import { MovedClock, person } from '../auth/person.js';
import { now } from '../changes/feed.js';
import { newRetryKey } from '../idempotency/retry.js';

interface Removal {
  removeOld(signal: AbortSignal): Promise<object>;
}

const DAY = 86_400;
const clock = new MovedClock();
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock });
  other = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string }, clock });
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const runner = ({ nest }: TestApp = app) => nest.get(JobRunner, { strict: false });
const schedule = () => app.nest.get(Schedule, { strict: false });

async function row(name: string) {
  const [found] = await app.sql('SELECT * FROM job_runs WHERE name = $1', [name]);
  return found;
}

/** Moves the last run far into the past. */
async function laterOn(name: string): Promise<void> {
  await app.sql(`UPDATE job_runs SET started_at = started_at - interval '1 hour' WHERE name = $1`, [name]);
}

describe('a job', () => {
  it('records its start, its end and its counts', async () => {
    await runner().run('counted', async () => ({ removed: 3 }));
    expect(await row('counted')).toEqual({
      name: 'counted',
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      counts: { removed: 3 },
    });
  });

  it('runs on one of two instances, however close their clocks are', async () => {
    const work = vi.fn(async () => ({}));
    await Promise.all([runner().run('shared', work), runner(other).run('shared', work)]);
    await runner(other).run('shared', work);
    expect(work).toHaveBeenCalledTimes(1);
    await laterOn('shared');
    await runner(other).run('shared', work);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('never runs twice at the same time, however long it takes', async () => {
    const second = vi.fn(async () => ({}));
    await runner().run('long', async () => {
      await laterOn('long');
      await runner(other).run('long', second);
      return {};
    });
    expect(second).not.toHaveBeenCalled();
  });

  it('takes no connection from requests: they are answered while as many jobs run as the pool has connections', async () => {
    const { orgApiKey: key } = app.bootstrap;
    const size = app.settings.DATABASE_POOL_SIZE;
    const begun = vi.fn();
    let end: (counts: object) => void = () => {};
    const ended = new Promise<object>(resolve => {
      end = resolve;
    });
    const work = () => {
      begun();
      return ended;
    };
    const runs = Array.from({ length: size }, (_, n) => runner().run(`beside ${n}`, work));
    await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(size), { timeout: 4_000 });
    const listed = await app.request('GET', '/v1/collections', { key });
    end({});
    await Promise.all(runs);
    expect(listed.status).toBe(200);
    expect(await row(`beside ${size - 1}`)).toMatchObject({ finished_at: expect.any(Date) });
    const names = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'typed-collections job'`;
    expect(await app.sql(names)).toEqual([]);
  });

  it('that fails has no effect on others, and the next run works', async () => {
    await runner().run('failing', () => Promise.reject(new Error('on purpose')));
    expect(await row('failing')).toMatchObject({ finished_at: null, counts: { failed: true } });
    await laterOn('failing');
    await runner().run('failing', async () => ({ removed: 1 }));
    expect(await row('failing')).toMatchObject({ finished_at: expect.any(Date), counts: { removed: 1 } });
  });

  it('whose instance is killed leaves no lock', async () => {
    const died = app.nest.get(LoneWork).run('job killed', 'job', async holder => {
      const [{ pid }] = await holder.query('SELECT pg_backend_pid() AS pid');
      await other.sql('SELECT pg_terminate_backend($1)', [pid]);
      await holder.query('SELECT 1');
    });
    await expect(died).rejects.toThrow();
    await runner().run('killed', async () => ({ removed: 1 }));
    expect(await row('killed')).toMatchObject({ counts: { removed: 1 } });
  });

  it('that has lost its lock ends early and counts as failed; the next run works', async () => {
    let aborted = false;
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    await runner().run('bereft', async signal => {
      await other.sql(
        `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
         WHERE l.locktype = 'advisory' AND l.objsubid = 1
           AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('job bereft', 0)`,
      );
      await new Promise(resolve => signal.addEventListener('abort', resolve));
      aborted = true;
      return { removed: 1 };
    });
    expect(aborted).toBe(true);
    expect(await row('bereft')).toMatchObject({ finished_at: null, counts: { failed: true } });
    await laterOn('bereft');
    await runner(other).run('bereft', async () => ({ removed: 2 }));
    expect(await row('bereft')).toMatchObject({ counts: { removed: 2 } });
  });

  it('keeps its lock on a server that terminates idle transactions', async () => {
    const url = await freshDatabaseUrl();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `ALTER DATABASE ${pg.escapeIdentifier(client.database as string)} SET idle_in_transaction_session_timeout = '4s'`,
    );
    await client.end();
    const strict = await startOwnApp({ database: { url }, clock });
    onTestFinished(() => strict.close());
    await runner(strict).run('patient', async () => {
      await delay(7_000);
      return { removed: 1 };
    });
    const [run] = await strict.sql(`SELECT * FROM job_runs WHERE name = 'patient'`);
    expect(run).toMatchObject({ finished_at: expect.any(Date), counts: { removed: 1 } });
  });

  it('delays a shutdown, is told to end early, and does not start again', async () => {
    const closing = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string }, clock });
    const late = vi.fn(async () => ({}));
    let closed: Promise<void> | undefined;
    await runner(closing).run('interrupted', async signal => {
      closed = closing.close();
      await new Promise(resolve => signal.addEventListener('abort', resolve));
      return { removed: 7 };
    });
    await runner(closing).run('late', late);
    await closed;
    expect(await row('interrupted')).toMatchObject({ counts: { removed: 7 } });
    expect(late).not.toHaveBeenCalled();
  });
});

describe('the schedule', () => {
  it('is not active in tests', () => {
    expect(app.nest.get(SchedulerRegistry).getCronJobs().size).toBe(0);
  });

  it('is the one that docs/jobs.md shows', async () => {
    const methods = Object.getOwnPropertyNames(Schedule.prototype).filter(each => each !== 'constructor');
    const clocks = methods.map(method => {
      const options = Reflect.getMetadata('SCHEDULE_CRON_OPTIONS', Object(Schedule.prototype)[method]);
      return [options.name, options.cronTime];
    });
    const page = await readFile('docs/jobs.md', 'utf8');
    const rows = [...page.matchAll(/^\| `(.+?)` \| `(.+?)` \|/gm)].map(([, name, time]) => [name, time]);
    expect(clocks.length).toBeGreaterThan(0);
    expect(rows).toEqual(clocks);
  });

  it('deletes expired records of every collection, with an event for each, and no others', async () => {
    const { orgApiKey: key } = app.bootstrap;
    const create = async (name: string) =>
      (await app.request('POST', '/v1/collections', { key, body: { name } })).body.collection_id;
    const insert = (id: string, records: object[], ttl_days: number) =>
      app.request('POST', `/v1/collections/${id}/data`, { key, body: { records, ttl_days } });
    const [first, second, third] = [await create('first'), await create('second'), await create('third')];
    await insert(first, [{ a: 1 }, { a: 2 }], 1);
    await insert(first, [{ a: 3 }], 2);
    await insert(second, [{ a: 4 }], 1);
    await insert(third, [{ a: 5 }], 0);
    const tables: { name: string }[] = await app.sql(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE tablename LIKE 'c\\_%' AND schemaname LIKE 'org\\_%'`,
    );
    expect(tables).toHaveLength(3);
    for (const { name } of tables) {
      await app.sql(`UPDATE ${name} SET expires_at = expires_at - interval '36 hours'`);
    }

    await schedule().removeExpiredRecords();
    expect(await row('remove-expired-records')).toMatchObject({ counts: { collections: 2, removed: 3 } });
    const left = await Promise.all(tables.map(({ name }) => app.sql(`SELECT x FROM ${name}`)));
    expect(left.flat().map(({ x }) => x.a)).toEqual(expect.arrayContaining([3, 5]));
    expect(left.flat()).toHaveLength(2);
    const [{ schema }] = await app.sql(
      `SELECT schemaname AS schema FROM pg_tables WHERE tablename LIKE 'c\\_%' LIMIT 1`,
    );
    const events = await app.sql(
      `SELECT target->>'id' AS id, count FROM ${schema}.audit_events WHERE type = 'collections.records.expired' ORDER BY count`,
    );
    expect(events).toEqual([
      { id: second, count: 1 },
      { id: first, count: 2 },
    ]);
  });

  it('continues after a collection at which it failed, so that all others are processed', async () => {
    const { orgApiKey: key } = app.bootstrap;
    const tables: string[] = [];
    for (const name of ['turn-a', 'turn-b', 'turn-c', 'turn-d']) {
      const { body } = await app.request('POST', '/v1/collections', { key, body: { name } });
      const path = `/v1/collections/${body.collection_id}/data`;
      const inserted = await app.request('POST', path, { key, body: { records: [{}], ttl_days: 1 } });
      expect(inserted.status).toBe(200);
      const [{ table }] = await app.sql(
        `SELECT schemaname || '.' || relname AS table FROM pg_stat_user_tables WHERE relname = $1`,
        [`c_${body.collection_id.replaceAll('-', '')}`],
      );
      await app.sql(`UPDATE ${table} SET expires_at = now() - interval '1 minute'`);
      tables.push(table);
    }
    const left = () => Promise.all(tables.map(async table => (await app.sql(`SELECT FROM ${table}`)).length));
    await app.sql(`
      CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'on purpose'; END $$;
      CREATE TRIGGER refusing BEFORE DELETE ON ${tables[1]} EXECUTE FUNCTION refuse_removal()`);
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    for (let run = 0; run < 2; run++) {
      await laterOn('remove-expired-records');
      await schedule().removeExpiredRecords();
      expect(await row('remove-expired-records')).toMatchObject({ counts: { failed: true } });
    }
    expect(await left()).toEqual([0, 1, 0, 0]);
    await app.sql(`DROP TRIGGER refusing ON ${tables[1]}`);
    await laterOn('remove-expired-records');
    await schedule().removeExpiredRecords();
    expect(await left()).toEqual([0, 0, 0, 0]);
  });

  it('deletes keys 30 days after they expired, not before', async () => {
    const { orgApiKey: key } = app.bootstrap;
    const mint = async (slug: string, days: number) => {
      const expiresAt = new Date(clock.now().getTime() + days * DAY * 1000).toISOString();
      const body = { slug, name: slug, permissions: ['collections:read'], expiresAt };
      expect((await app.request('POST', '/v2/orgs/default/api-keys', { key, body })).status).toBe(201);
    };
    await mint('old', 1);
    await mint('recent', 3);
    clock.move(32 * DAY);
    await schedule().removeExpiredApiKeys();
    expect(await row('remove-expired-api-keys')).toMatchObject({ counts: { removed: 1 } });
    const slugs = (await app.sql('SELECT slug FROM org_api_keys ORDER BY slug')).map(each => each.slug);
    expect(slugs).toContain('recent');
    expect(slugs).not.toContain('old');
  });

  it('deletes invitations, with an event, 30 days after expiry, or after creation if used up, and no others', async () => {
    const { orgApiKey: key } = app.bootstrap;
    const days = (count: number) => new Date(clock.now().getTime() + count * DAY * 1000).toISOString();
    const invite = async (invitation: object) => {
      const body = { roleSlug: 'member', ...invitation };
      const made = await app.request('POST', '/v2/orgs/default/invites', { key, body });
      expect(made.status).toBe(201);
      return made.body;
    };
    const join = async (code: string) => {
      const { token } = await person(app);
      expect((await app.request('POST', '/v2/orgs/join', { token, body: { code } })).status).toBe(201);
    };
    const expired = await invite({ expiresAt: days(1) });
    const used = await invite({ expiresAt: days(90) });
    await join(used.code);
    const kept = [await invite({}), await invite({ maxUses: 2 }), await invite({ expiresAt: days(3) })];
    await join(kept[1].code);
    clock.move(32 * DAY);
    const recent = await invite({});
    await join(recent.code);
    await schedule().removeEndedInvites();
    expect(await row('remove-ended-invites')).toMatchObject({ counts: { removed: 2 } });
    const listed = (await app.request('GET', '/v2/orgs/default/invites', { key })).body.results;
    const ids = listed.map((each: { id: string }) => each.id).sort();
    expect(ids).toEqual([...kept, recent].map(each => each.id).sort());
    expect(ids).not.toContain(expired.id);
    const { items } = (
      await app.request('GET', '/v2/orgs/default/audit?action=orgs.invites.removed', { key })
    ).body;
    expect(items).toMatchObject([{ count: 2, actor: { via: 'job' } }]);
  });

  it('rotates signing keys in two steps and removes the old one when its last token has expired', async () => {
    const states = async () =>
      (await app.sql('SELECT state FROM signing_keys ORDER BY created_at')).map(each => each.state);
    const rotate = async () => {
      await laterOn('rotate-signing-keys');
      await schedule().rotateSigningKeys();
    };
    clock.move(app.settings.JWKS_ROTATION_DAYS * DAY);
    await rotate();
    expect((await states()).at(-1)).toBe('next');
    await rotate();
    expect((await states()).at(-1)).toBe('next');
    clock.move(600);
    await rotate();
    expect((await states()).slice(-2)).toEqual(['rotated', 'active']);
    await schedule().removeSigningKeys();
    expect(await states()).toContain('rotated');
    clock.move(app.settings.ACCESS_TOKENS_MAX_AGE + 120);
    await laterOn('remove-signing-keys');
    await schedule().removeSigningKeys();
    expect(await states()).toEqual(['active']);
  });

  it.each([
    ['removeExpiredTickets', 'web_session_tickets', 'expires_at'],
    ['removeExpiredAccessTokens', 'access_tokens', 'expires_at'],
    ['removeExpiredSessions', 'sessions', 'expires_at'],
    ['removeIdleAnonymousUsers', 'users', 'last_seen_at'],
  ] as const)('%s removes the rows whose time is over from %s', async (job, table, time) => {
    expect((await app.request('POST', '/v2/login/anonymous')).status).toBe(201);
    const whose = table === 'users' ? 'WHERE anonymous' : '';
    const count = async () => (await app.sql(`SELECT count(*)::int AS rows FROM ${table} ${whose}`))[0].rows;
    const before = await count();
    await app.sql(`UPDATE ${table} SET ${time} = now() - interval '10 years'`);
    await schedule()[job]();
    expect(before).toBeGreaterThan(0);
    expect(await count()).toBe(0);
    expect(await app.sql('SELECT id FROM users WHERE NOT anonymous')).toContainEqual({
      id: app.bootstrap.userId,
    });
  });

  it('removes any number of expired rows in batches of 1,000, each with an event and the ids of its rows', async () => {
    const { userId } = app.bootstrap;
    await app.sql(
      `INSERT INTO sessions (id, user_id, client_id, expires_at)
       SELECT gen_random_uuid(), $1, 'batches', now() - interval '10 years' FROM generate_series(1, 2500)`,
      [userId],
    );
    const removed = async () =>
      (await app.sql(`SELECT count FROM audit_events WHERE type = 'sessions.removed' ORDER BY id`)).map(
        ({ count }) => count,
      );
    const earlier = (await removed()).length;
    const announced = vi.spyOn(app.nest.get(CredentialChanges), 'announce');
    onTestFinished(() => announced.mockRestore());
    await laterOn('remove-expired-sessions');
    await schedule().removeExpiredSessions();
    expect(await app.sql(`SELECT id FROM sessions WHERE client_id = 'batches'`)).toEqual([]);
    const batches = (await removed()).slice(earlier);
    expect(batches.slice(0, 2)).toEqual([1_000, 1_000]);
    expect(batches).toHaveLength(3);
    const changed = announced.mock.calls.map(([ids]) => ids);
    expect(changed).not.toContain('all');
    expect(new Set(changed.flat()).size).toBeGreaterThanOrEqual(2_500);
  });
});

it.skipIf(onCitus.refusesFeeds)(
  'jobs that remove old data send as many statements for six organizations where nothing is old as for one',
  async () => {
    const { signal } = new AbortController();
    const jobs = [ChangePruning, VersionPruning, StoredResponses];
    const begin = async () => {
      const home = await newHome(app);
      const collection = await newCollection(app, home);
      const [id] = await insert(app, collection, { n: 1 });
      const headers = { 'idempotency-key': newRetryKey() };
      const update = { ...home.owner, headers, body: { $set: { n: 2 } } };
      expect((await app.request('PATCH', `${collection.data}/${id}`, update)).status).toBe(200);
      await now(app, collection);
    };
    const costs = async () => {
      const sent: number[] = [];
      for (const job of jobs) {
        const service = app.nest.get<Removal>(job, { strict: false });
        // The first run measures the histories.
        await service.removeOld(signal);
        sent.push((await databaseUse(app, counted => counted(() => service.removeOld(signal)))).pooled);
      }
      return sent;
    };
    await begin();
    const ofOne = await costs();
    for (let more = 0; more < 5; more++) await begin();
    expect(await costs()).toEqual(ofOne);
    expect(Math.min(...ofOne)).toBeGreaterThan(0);
  },
);
