import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { OrgRemoval } from '../../../src/features/orgs/org-removal.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { schemaOf, tableOf } from '../../harness/tables.js';
import { person } from '../auth/person.js';
import { during } from '../schema/database.js';
import { events, newDomain, newKey, newMember, newOrg, newSlug, prove, type TestOrg } from './org.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Runs the work of the job. */
const removeDeleted = () =>
  app.nest.get(OrgRemoval, { strict: false }).removeDeleted(new AbortController().signal);

/** Creates a collection and returns the name of its table. */
async function newTable(org: TestOrg, token: string): Promise<string> {
  const { body } = await app.request('POST', '/v1/collections', {
    token,
    body: { name: newSlug() },
  });
  return tableOf(org.id, body.collection_id);
}

async function tablesOf(org: TestOrg): Promise<string[]> {
  const rows = await app.sql(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname = $1`,
    [schemaOf(org.id)],
  );
  return rows.map(({ name }) => name);
}

const namespaceOf = (org: TestOrg) =>
  app.sql('SELECT FROM pg_namespace WHERE nspname = $1', [schemaOf(org.id)]);

describe('every operation below /v2/orgs/{orgSlug}', () => {
  it('answers a non-member the same whether or not the organization exists', async () => {
    const { path } = await newOrg(app);
    const { token } = await person(app);
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['GET', '/members'],
      ['POST', '/api-keys'],
      ['DELETE', `/roles/${newSlug()}`],
    ] as const) {
      const existing = await app.request(method, `${path}${rest}`, { token });
      const absent = await app.request(method, `/v2/orgs/${newSlug()}${rest}`, { token });
      expect(existing.status).toBe(403);
      expect(existing.body.error).toBe('OrganizationMembershipRequired');
      expect(absent.status).toBe(403);
      expect(absent.text).toBe(existing.text);
    }
  });

  it('refuses a member without the permission before it reads the body', async () => {
    const org = await newOrg(app);
    const { token } = await newMember(app, org);
    for (const [method, rest] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/members'],
      ['POST', '/roles'],
      ['POST', '/agents'],
      ['POST', '/api-keys'],
      ['POST', `/api-keys/${newSlug()}/rotate`],
    ] as const) {
      const { status, body } = await app.request(method, `${org.path}${rest}`, { token, raw: '{' });
      expect([method, rest, status, body.error]).toEqual([method, rest, 403, 'Forbidden']);
    }
    expect((await app.request('GET', org.path, { token })).status).toBe(200);
  });
});

describe('PATCH /v2/orgs/{orgSlug}', () => {
  it('changes only the sent fields', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const domain = newDomain();
    await prove(app, org, domain);
    const joinRules = [{ domain, roleSlug: 'member', effective: true }];
    const change = { name: 'Acme Ltd', joinRules, auth: { anonymous: { enabled: true, role: 'member' } } };
    const { status, body } = await app.request('PATCH', org.path, { token, body: change });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...change, slug: org.slug, settings: {}, defaultRole: 'member' });
    expect((await app.request('GET', org.path, { token })).body).toEqual(body);
    const [event] = await events(app, org, 'orgs.updated');
    expect(event?.changes.before.name).toBe('Acme');
    expect(event?.changes.after.name).toBe('Acme Ltd');
  });

  it.each([
    { defaultRole: 'owner' },
    { defaultRole: 'admin' },
    { joinRules: [{ domain: 'example.com', roleSlug: 'admin' }] },
    { auth: { anonymous: { enabled: true, role: 'owner' } } },
    { defaultRole: 'no-such-role' },
    { joinRules: [{ domain: 'not a domain', roleSlug: 'member' }] },
    { slug: 'other' },
    { name: '' },
    { settings: { half: 'a\ud800' } },
    { settings: { 'a\ud800': 'half' } },
    { subscription: { deep: [{ nul: 'a\0' }] } },
    {},
  ])('refuses %j', async body => {
    const org = await newOrg(app);
    const answer = await app.request('PATCH', org.path, { token: org.owner.token, body });
    expect([answer.status, answer.body.error]).toEqual([400, 'InvalidArguments']);
    expect(await events(app, org, 'orgs.updated')).toEqual([]);
  });

  it('allows only roles for joining that the caller could grant', async () => {
    const org = await newOrg(app);
    const { token } = await newMember(app, org, { permissions: ['orgs:manage'] });
    expect((await app.request('PATCH', org.path, { token, body: { name: 'Mine' } })).status).toBe(200);
    const joinRules = [{ domain: 'example.com', roleSlug: 'member' }];
    expect((await app.request('PATCH', org.path, { token, body: { joinRules } })).status).toBe(403);
  });
});

describe('DELETE /v2/orgs/{orgSlug}', () => {
  it('deletes the organization with its keys, agents, collections and schema, and keeps its slug', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const { apiKey } = await newKey(app, org);
    const collection = { name: 'orders', properties: { total: { type: 'double' } } };
    const { body } = await app.request('POST', '/v1/collections', { key: apiKey, body: collection });

    const { status, body: answer } = await app.request('DELETE', org.path, { token });
    expect(status).toBe(200);
    expect(answer).toEqual({ success: true });

    expect((await app.request('GET', org.path, { token })).status).toBe(403);
    expect((await app.request('GET', '/v2/orgs', { token })).body).toEqual({ results: [], total: 0 });
    expect((await app.request('GET', '/v1/collections', { key: apiKey })).status).toBe(401);
    expect(await app.sql('SELECT 1 FROM collections WHERE id = $1', [body.collection_id])).toEqual([]);
    const schema = schemaOf(org.id);
    expect(await app.sql('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).toEqual([]);
    const logged = await app.sql(`SELECT type FROM audit_events WHERE target->>'id' = $1`, [org.id]);
    expect(logged).toEqual([{ type: 'orgs.deleted' }]);

    const again = { slug: org.slug, name: 'Again' };
    expect((await app.request('POST', '/v2/orgs', { token, body: again })).status).toBe(409);
  });

  it('lets nothing be created in it meanwhile, and then refuses its members like non-members', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const create = (rest: string, body: object) =>
      app.request('POST', `${org.path}/${rest}`, { token, body: { slug: newSlug(), name: 'Late', ...body } });
    const racing = Array.from({ length: 12 }, (_, index) => [
      create('agents', {}),
      create('roles', { permissions: [] }),
      create('api-keys', { permissions: [] }),
      index === 2 ? app.request('DELETE', org.path, { token }) : create('agents', {}),
    ]).flat();
    const statuses = new Set((await Promise.all(racing)).map(answer => answer.status));
    for (const status of statuses) expect([200, 201, 403]).toContain(status);
    for (const table of ['agents', 'org_roles', 'org_api_keys']) {
      expect(await app.sql(`SELECT 1 FROM ${table} WHERE org_id = $1`, [org.id])).toEqual([]);
    }
  });

  it('waits for changes in the organization without blocking what they still need to lock', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const role = { slug: newSlug(), name: 'Clerk', permissions: [] };
    await app.request('POST', `${org.path}/roles`, { token, body: role });
    const changing = app.nest.get(DataSource).createQueryRunner();
    try {
      await changing.startTransaction();
      await changing.query('SELECT FROM org_roles WHERE org_id = $1 FOR UPDATE', [org.id]);
      const answer = app.request('DELETE', org.path, { token });
      const [{ pid }] = await changing.query('SELECT pg_backend_pid() AS pid');
      const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      await expect.poll(() => app.sql(waiting, [pid]), { timeout: 10_000, interval: 10 }).toHaveLength(1);
      const log = `${schemaOf(org.id)}.audit_events`;
      await changing.query(`LOCK TABLE ${log} IN ROW EXCLUSIVE MODE NOWAIT`);
      await changing.commitTransaction();
      expect((await answer).body).toEqual({ success: true });
    } finally {
      if (changing.isTransactionActive) await changing.rollbackTransaction();
      await changing.release();
    }
  });

  it('succeeds while its tables are in use, gives way to those who use them, and a job drops the rest', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const first = await newTable(org, token);
    const second = await newTable(org, token);
    const writing = app.nest.get(DataSource).createQueryRunner();
    try {
      await writing.startTransaction();
      await writing.query(`LOCK TABLE ${first}, ${second} IN ROW EXCLUSIVE MODE`);
      const answer = app.request('DELETE', org.path, { token });
      const [{ pid }] = await writing.query('SELECT pg_backend_pid() AS pid');
      const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      await expect.poll(() => app.sql(waiting, [pid]), { timeout: 10_000, interval: 10 }).toHaveLength(1);
      for (const each of [
        'audit_events',
        'record_quotas',
        'quota_leases',
        'quota_returns',
        'idempotency_keys',
        'record_changes',
        'record_feeds',
      ])
        await writing.query(`LOCK TABLE ${schemaOf(org.id)}.${each} IN ROW EXCLUSIVE MODE`);
      expect((await answer).body).toEqual({ success: true });
      expect((await app.request('GET', org.path, { token })).status).toBe(403);
      await removeDeleted();
      expect(await tablesOf(org)).toContain(first);
      await writing.commitTransaction();
    } finally {
      if (writing.isTransactionActive) await writing.rollbackTransaction();
      await writing.release();
    }
    expect((await removeDeleted()).removed).toBeGreaterThanOrEqual(1);
    expect(await namespaceOf(org)).toEqual([]);
  });

  it('drops its tables in steps, so that no transaction locks all of them', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const oldest = await newTable(org, token);
    for (let n = 0; n < 25; n++) await newTable(org, token);
    const before = await tablesOf(org);
    expect(before.length).toBeGreaterThan(50);
    await during(app, `LOCK TABLE ${oldest} IN ACCESS SHARE MODE`, async () => {
      expect((await app.request('DELETE', org.path, { token })).status).toBe(200);
      const left = await tablesOf(org);
      expect(left).toContain(oldest);
      expect(left).toContain(`${schemaOf(org.id)}.audit_events`);
      expect(before.length - left.length).toBeGreaterThanOrEqual(40);
    });
    await removeDeleted();
    expect(await namespaceOf(org)).toEqual([]);
    const functions = `SELECT FROM pg_proc WHERE prosrc LIKE '%' || $1 || '%'`;
    expect(await app.sql(functions, [schemaOf(org.id)])).toEqual([]);
  });

  it('is finished by the job, also by two runs at once', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const table = await newTable(org, token);
    for (let n = 0; n < 15; n++) await newTable(org, token);
    await during(app, `LOCK TABLE ${table} IN ACCESS SHARE MODE`, () =>
      app.request('DELETE', org.path, { token }),
    );
    await Promise.all([removeDeleted(), removeDeleted()]);
    await removeDeleted();
    expect(await namespaceOf(org)).toEqual([]);
  });

  it('waits for VACUUM, so that PostgreSQL ends it, and drops the tables that nobody uses', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const [vacuumed, used, other] = [
      await newTable(org, token),
      await newTable(org, token),
      await newTable(org, token),
    ];
    await during(app, `LOCK TABLE ${used} IN ACCESS SHARE MODE`, async () => {
      await during(app, `LOCK TABLE ${vacuumed} IN SHARE UPDATE EXCLUSIVE MODE`, () =>
        app.request('DELETE', org.path, { token }),
      );
      expect(await tablesOf(org)).not.toContain(other);
      expect(await removeDeleted()).toMatchObject({ left: 1 });
      const left = await tablesOf(org);
      expect(left).toContain(used);
      expect(left).not.toContain(vacuumed);
    });
    await removeDeleted();
    expect(await namespaceOf(org)).toEqual([]);
  });

  it('leaves no function of a trigger', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    for (let n = 0; n < 30; n++) {
      const created = await app.request('POST', '/v1/collections', { token, body: { name: newSlug() } });
      await app.request('GET', `/v1/collections/${created.body.collection_id}/changes`, { token });
    }
    const functions = () =>
      app.sql('SELECT FROM pg_proc WHERE pronamespace = to_regnamespace($1)', [schemaOf(org.id)]);
    expect((await functions()).length).toBeGreaterThan(25);
    const [{ oid }] = await app.sql('SELECT oid FROM pg_namespace WHERE nspname = $1', [schemaOf(org.id)]);
    expect((await app.request('DELETE', org.path, { token })).status).toBe(200);
    await removeDeleted();
    expect(await app.sql('SELECT FROM pg_proc WHERE pronamespace = $1', [oid])).toEqual([]);
    expect(await namespaceOf(org)).toEqual([]);
  });

  it('is repeated when a job locks its rows in another order', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const created = await app.request('POST', '/v1/collections', { token, body: { name: newSlug() } });
      ids.push(created.body.collection_id);
    }
    const lock = 'SELECT FROM collections WHERE id = $1 FOR UPDATE';
    const job = app.nest.get(DataSource).createQueryRunner();
    try {
      await job.startTransaction();
      await job.query(lock, [ids[1]]);
      const answer = app.request('DELETE', org.path, { token });
      await vi.waitUntil(async () => (await app.sql('SELECT FROM pg_locks WHERE NOT granted')).length > 0);
      // The deletion has waited longer, so PostgreSQL ends it.
      await job.query(lock, [ids[0]]);
      await job.commitTransaction();
      expect((await answer).body).toEqual({ success: true });
    } finally {
      if (job.isTransactionActive) await job.rollbackTransaction();
      await job.release();
    }
    expect((await app.request('GET', org.path, { token })).status).toBe(403);
  });

  it('leaves other organizations unchanged', async () => {
    const org = await newOrg(app);
    const other = await newOrg(app);
    const { apiKey } = await newKey(app, other);
    await app.request('DELETE', org.path, { token: org.owner.token });
    expect((await app.request('GET', other.path, { key: apiKey })).status).toBe(200);
  });

  it('needs the permission *, not only orgs:manage', async () => {
    const org = await newOrg(app);
    const { token } = await newMember(app, org, { permissions: ['orgs:*'] });
    expect((await app.request('DELETE', org.path, { token })).status).toBe(403);
    expect((await app.request('GET', org.path, { token })).status).toBe(200);
  });
});
