import { createPublicKey, verify as verifySignature } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { newId } from '../../../src/base/kernel/id.js';
import { Reencryption } from '../../../src/features/auth/keys/master-keys.service.js';
import { AuditChains } from '../../../src/platform/audit/audit-chains.service.js';
import { AuditCheckpoints } from '../../../src/platform/audit/audit-checkpoints.service.js';
import { AuditLog } from '../../../src/platform/audit/audit-log.js';
import { AuditPruning } from '../../../src/platform/audit/audit-pruning.service.js';
import { AuditVerification } from '../../../src/platform/audit/audit-verification.service.js';
import { QuietLogs } from '../../../src/platform/audit/quiet-logs.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { MovedClock } from '../auth/person.js';
import { newMember } from '../orgs/org.js';
import { run } from '../start/service.js';

const DAY = 86_400;
const HOUR_MS = 3_600_000;
const GOES_ON = new AbortController().signal;
const clock = new MovedClock();
let app: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock, environment: { AUDIT_RETENTION_DAYS: '10' } });
});
afterAll(() => app.close());

/** An organization with some events in its log. */
interface Logged extends Home {
  readonly collection: TestCollection;
  readonly log: { orgId: string; name: string };
  readonly schema: string;
}

async function logged(): Promise<Logged> {
  const home = await newHome(app);
  const collection = await newCollection(app, home);
  for (const title of ['Emma', 'Persuasion', 'Sanditon']) await insert(app, collection, { title });
  const schema = schemaOf(home.org.id);
  return { ...home, collection, schema, log: { orgId: home.org.id, name: home.org.slug } };
}

const link = () => app.nest.get(AuditChains).extendAll(GOES_ON);
const sign = () => app.nest.get(AuditCheckpoints).signAll(GOES_ON);
const prune = (signal = GOES_ON) => app.nest.get(AuditPruning).removeOld(signal);
const verify = ({ log }: Pick<Logged, 'log'>) => app.nest.get(AuditVerification).verify(log);
const countOf = async ({ schema }: Logged) =>
  (await app.sql(`SELECT count(*)::int AS n FROM ${schema}.audit_events`))[0].n;
const links = ({ schema }: Logged): Promise<{ seq: string; event_id: string; hash: Buffer }[]> =>
  app.sql(`SELECT seq, event_id, hash FROM ${schema}.audit_chain ORDER BY seq`);

/** An event id made at the given time. */
function idOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

const EVENT = `(id, type, actor, target) VALUES ($1, 'made.up', '{}', '{}')`;

describe('the hash chain of an audit log', () => {
  it('links every event once, in the log of the platform too', async () => {
    const one = await logged();
    expect(await verify(one)).toMatchObject({ events: 0, waiting: await countOf(one), broken: undefined });
    await link();
    const [count, chain] = [await countOf(one), await links(one)];
    expect(await verify(one)).toEqual({ events: count, checkpoints: 0, waiting: 0, broken: undefined });
    expect(chain.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: count }, (_, n) => n + 1));

    await insert(app, one.collection, { title: 'Lady Susan' });
    expect(await verify(one)).toMatchObject({ events: count, waiting: 1, broken: undefined });
    await link();
    expect((await links(one)).slice(0, count)).toEqual(chain);
    expect(await verify(one)).toMatchObject({ events: count + 1, waiting: 0 });
    expect(await link()).toEqual({ linked: 0 });
    const platform = await verify({ log: { orgId: undefined as never, name: 'platform' } });
    expect(platform).toMatchObject({ waiting: 0, broken: undefined });
    expect(platform.events).toBeGreaterThan(0);
  });

  it('stays intact when an event is committed long after later ones were linked', async () => {
    const one = await logged();
    const late = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
    await late.connect();
    const id = newId();
    await late.query('BEGIN');
    await late.query(`INSERT INTO ${one.schema}.audit_events ${EVENT}`, [id]);
    await insert(app, one.collection, { title: 'younger' });
    await link();
    expect((await links(one)).map(each => each.event_id)).not.toContain(id);
    await insert(app, one.collection, { title: 'younger still' });
    await late.query('COMMIT');
    await late.end();
    await link();
    expect((await links(one)).map(each => each.event_id)).toContain(id);
    expect(await verify(one)).toMatchObject({ events: await countOf(one), waiting: 0, broken: undefined });
  });

  it('is settled beyond a transaction that has read for long and written nothing, as a dump', async () => {
    const one = await logged();
    const dump = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
    await dump.connect();
    await dump.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM ${one.schema}.audit_events`);
    const { rows: begun } = await dump.query('SELECT now() AS at');
    await insert(app, one.collection, { title: 'meanwhile' });
    await link();
    await dump.end();
    const head = await app.nest.get(AuditChains).head(one.log);
    expect(head?.settledUntil.getTime()).toBeGreaterThan(begun[0].at.getTime());
  });

  it('is asked for again when an event was counted, and not while nothing was', async () => {
    const [one, quiet] = [await logged(), app.nest.get(QuietLogs)];
    const isQuiet = async () => {
      await quiet.count();
      return quiet.isQuiet(one.log);
    };
    const writer = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
    await writer.connect();
    const write = async () => {
      await writer.query(`INSERT INTO ${one.schema}.audit_events ${EVENT}`, [newId()]);
      await writer.query('SELECT pg_stat_force_next_flush()');
    };
    await write();
    expect(await isQuiet()).toBe(false);
    quiet.markLinked(one.log);
    expect(await isQuiet()).toBe(false);
    clock.move(120);
    await write();
    expect(await isQuiet()).toBe(false);
    await writer.end();
  });

  it('does not delay writers', async () => {
    const one = await logged();
    await link();
    const holder = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE ${one.schema}.audit_chain, ${one.schema}.audit_checkpoints`);
    const before = await countOf(one);
    await insert(app, one.collection, { title: 'meanwhile' });
    expect(await countOf(one)).toBe(before + 1);
    await holder.end();
  });

  it('has one link per event in a log that is longer than a batch', async () => {
    const one = await logged();
    await app.sql(
      `INSERT INTO ${one.schema}.audit_events (id, type, actor, target)
       SELECT gen_random_uuid(), 'made.up', '{}', '{}' FROM generate_series(1, 2100)`,
    );
    await link();
    expect(await verify(one)).toMatchObject({ events: await countOf(one), waiting: 0, broken: undefined });
  });
});

describe('a manipulated log is detected', () => {
  /** The result of verification after these statements. `$1` is an event in the middle of the log. */
  async function found(change: (one: Logged, eventId: string) => Promise<unknown>, signed = false) {
    const one = await logged();
    await link();
    if (signed) await sign();
    const { event_id, seq } = (await links(one))[2] as { event_id: string; seq: string };
    await change(one, event_id);
    await link();
    return { ...(await verify(one)).broken, expected: { eventId: event_id, seq: Number(seq) } };
  }

  it.each([
    ['actor', `actor = actor || '{"id": "somebody-else"}'`],
    ['time', `created_at = created_at + interval '1 microsecond'`],
    ['count', 'count = 7'],
    ['address', `ip = '192.0.2.1'`],
  ])('when the %s of an event was changed', async (_, assignment) => {
    const { expected, ...broken } = await found((one, id) =>
      app.sql(`UPDATE ${one.schema}.audit_events SET ${assignment} WHERE id = $1`, [id]),
    );
    expect(broken).toEqual({ what: 'altered', ...expected });
  });

  it('when an event was removed, with or without its link', async () => {
    const { expected, ...broken } = await found((one, id) =>
      app.sql(`DELETE FROM ${one.schema}.audit_events WHERE id = $1`, [id]),
    );
    expect(broken).toEqual({ what: 'removed', ...expected });
    const both = await found(async (one, id) => {
      await app.sql(`DELETE FROM ${one.schema}.audit_events WHERE id = $1`, [id]);
      await app.sql(`DELETE FROM ${one.schema}.audit_chain WHERE event_id = $1`, [id]);
    });
    expect(both).toMatchObject({ what: 'removed', seq: 3, eventId: undefined });
  });

  it('when the beginning was cut off', async () => {
    const broken = await found(async (one, id) => {
      const until = `seq < (SELECT seq FROM ${one.schema}.audit_chain WHERE event_id = '${id}')`;
      await app.sql(
        `DELETE FROM ${one.schema}.audit_events WHERE id IN (SELECT event_id FROM ${one.schema}.audit_chain WHERE ${until})`,
      );
      await app.sql(`DELETE FROM ${one.schema}.audit_chain WHERE ${until}`);
    });
    expect(broken).toMatchObject({ what: 'removed', seq: 1 });
  });

  it('when an event was inserted in between', async () => {
    const id = idOf(Date.now() - HOUR_MS);
    const { expected: _, ...broken } = await found(one =>
      app.sql(`INSERT INTO ${one.schema}.audit_events ${EVENT}`, [id]),
    );
    expect(broken).toEqual({ what: 'inserted', seq: undefined, eventId: id });
  });

  it('by its checkpoint when all links were computed again', async () => {
    const broken = await found(async (one, id) => {
      await app.sql(`UPDATE ${one.schema}.audit_events SET ip = '192.0.2.1' WHERE id = $1`, [id]);
      await app.sql(`DELETE FROM ${one.schema}.audit_chain`);
      await link();
    }, true);
    expect(broken.what).toBe('altered');
  });

  it('by its checkpoint when the end was cut off', async () => {
    const broken = await found(async (one, id) => {
      const since = `seq >= (SELECT seq FROM ${one.schema}.audit_chain WHERE event_id = '${id}')`;
      await app.sql(
        `DELETE FROM ${one.schema}.audit_events WHERE id IN (SELECT event_id FROM ${one.schema}.audit_chain WHERE ${since})`,
      );
      await app.sql(`DELETE FROM ${one.schema}.audit_chain WHERE ${since}`);
    }, true);
    expect(broken).toMatchObject({ what: 'removed', seq: 3 });
  });

  it.each([
    'pruned_seq = 3',
    `hash = sha256('')`,
    `created_at = created_at - interval '1 day'`,
    `kid = 'another'`,
  ])('when a checkpoint has another %s', async assignment => {
    const broken = await found(
      one => app.sql(`UPDATE ${one.schema}.audit_checkpoints SET ${assignment}`),
      true,
    );
    expect(broken.what).toBe('forged checkpoint');
  });
});

describe('a checkpoint', () => {
  it('is signed once for each growth of the chain', async () => {
    const one = await logged();
    await link();
    await sign();
    await sign();
    expect(await verify(one)).toMatchObject({ checkpoints: 1, broken: undefined });
    await insert(app, one.collection, { title: 'one more' });
    await link();
    await sign();
    expect(await verify(one)).toMatchObject({ checkpoints: 2, broken: undefined });
  });

  it('is shown to readers of the log, and can be verified without this service', async () => {
    const one = await logged();
    await link();
    await sign();
    const path = `${one.org.path}/audit/checkpoints`;
    const { status, body } = await app.request('GET', path, one.owner);
    expect([status, body.total]).toEqual([200, 1]);
    const [{ statement, signature, key, seq, hash }] = body.results;
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const holds = (text: string) =>
      verifySignature(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
    expect(holds(statement)).toBe(true);
    expect(holds(statement.replace(String(seq), String(seq + 1)))).toBe(false);
    expect(statement).toContain(hash);
    expect(key).not.toHaveProperty('d');
    const member = await newMember(app, one.org);
    expect((await app.request('GET', path, { token: member.token })).status).toBe(403);
  });

  it('can still be verified after everything was encrypted with another master key', async () => {
    const database = 'own';
    const [old, young] = ['old', 'young'].map(
      (name, n) => `${name}:${Buffer.alloc(32, n + 1).toString('base64')}`,
    );
    const first = await startOwnApp({ database, environment: { SECRETS_MASTER_KEYS: `${young},${old}` } });
    const [{ id, slug }] = await first.sql('SELECT id, slug FROM orgs');
    // Encrypted with the old key, as if it had been the first one at that time.
    const before = await startOwnApp({
      database: { url: first.settings.DATABASE_URL as string },
      environment: { SECRETS_MASTER_KEYS: `${old},${young}` },
    });
    await before.nest.get(AuditChains).extendAll(GOES_ON);
    await before.nest.get(AuditCheckpoints).signAll(GOES_ON);
    await before.close();
    await first.nest.get(Reencryption).reencrypt(platformCall('cli'));
    const after = await startOwnApp({
      database: { url: first.settings.DATABASE_URL as string },
      environment: { SECRETS_MASTER_KEYS: young as string },
    });
    const verification = await after.nest.get(AuditVerification).verify({ orgId: id, name: slug });
    expect(verification).toMatchObject({ checkpoints: 1, broken: undefined });
    await after.close();
    await first.close();
  });
});

describe('events past their retention time', () => {
  // The clock of these tests moves by hours, in which PostgreSQL would have counted the events.
  beforeAll(() => void vi.spyOn(app.nest.get(QuietLogs), 'isQuiet').mockReturnValue(false));
  afterAll(() => vi.mocked(app.nest.get(QuietLogs).isQuiet).mockRestore());

  it('are removed up to a checkpoint of that age, and the rest can be verified', async () => {
    const one = await logged();
    const old = await countOf(one);
    await link();
    await sign();
    clock.move(app.settings.AUDIT_RETENTION_DAYS * DAY - 3600);
    await insert(app, one.collection, { title: 'young' });
    await link();
    await sign();
    await prune();
    expect(await countOf(one)).toBe(old + 1);

    clock.move(7200);
    await prune();
    const left = await app.sql(`SELECT type, count FROM ${one.schema}.audit_events ORDER BY id`);
    expect(left).toEqual([
      { type: 'collections.records.inserted', count: 1 },
      { type: 'audit.events.removed', count: old },
    ]);
    expect(await verify(one)).toMatchObject({ events: 1, waiting: 1, checkpoints: 3, broken: undefined });
    await link();
    expect(await verify(one)).toMatchObject({ events: 2, waiting: 0, broken: undefined });

    // The remaining events are protected as before.
    await app.sql(`UPDATE ${one.schema}.audit_events SET ip = '192.0.2.1' WHERE type LIKE 'collections%'`);
    expect((await verify(one)).broken?.what).toBe('altered');
  });

  it('are removed in batches; the log stays verifiable if a run ends between batches, and the next run goes on', async () => {
    const one = await logged();
    await app.sql(
      `INSERT INTO ${one.schema}.audit_events (id, type, actor, target)
       SELECT gen_random_uuid(), 'made.up', '{}', '{}' FROM generate_series(1, 6000)`,
    );
    await link();
    await sign();
    const old = await countOf(one);
    clock.move((app.settings.AUDIT_RETENTION_DAYS + 1) * DAY);
    const stopping = new AbortController();
    const audit = app.nest.get(AuditLog);
    const record = audit.record.bind(audit);
    const batches = vi.spyOn(audit, 'record').mockImplementation((...event) => {
      if (event[2] === one.org.id) stopping.abort();
      return record(...event);
    });
    await prune(stopping.signal);
    batches.mockRestore();
    expect(await countOf(one)).toBe(old - 5000 + 1);
    expect(await verify(one)).toMatchObject({ broken: undefined });
    await prune();
    expect(await countOf(one)).toBe(2);
    expect(await verify(one)).toMatchObject({ events: 0, waiting: 2, broken: undefined });
  });
});

describe('the command line', () => {
  it('reports that all logs are intact, or which one is not, also by its exit status', async () => {
    const one = await logged();
    await link();
    const settings = {
      DATABASE_URL: app.settings.DATABASE_URL as string,
      SECRETS_MASTER_KEYS: app.settings.SECRETS_MASTER_KEYS.join(','),
    };
    const command = (...args: string[]) => run('cli.js', ['audit', 'verify', ...args], settings);
    const good = await command('--org', one.org.slug);
    expect(good).toEqual({
      status: 0,
      output: `${one.org.slug}: ${await countOf(one)} events and 0 checkpoints verified, 0 events not linked yet\n`,
    });
    const [, second] = await links(one);
    await app.sql(`UPDATE ${one.schema}.audit_events SET type = 'other' WHERE id = $1`, [second?.event_id]);
    const bad = await command('--org', one.org.slug);
    expect(bad.status).toBe(1);
    expect(bad.output).toContain(
      `${one.org.slug}: BROKEN at link 2, event ${second?.event_id}: altered; up to there 1 events`,
    );
    expect((await command('--org', 'nobody')).status).toBe(1);
    expect((await command('extra')).status).toBe(2);
  });
});
