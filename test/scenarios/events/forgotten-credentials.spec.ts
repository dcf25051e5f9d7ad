import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialCache } from '../../../src/features/auth/credential-cache.js';
import { startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { roundTrips } from '../../harness/round-trips.js';
import { type Person, person } from '../auth/person.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  other = await startOwnApp({
    database: { url: app.settings.DATABASE_URL as string },
    environment: { PUBLIC_URL: app.url },
  });
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const me = (instance: TestApp, credential: TestRequest) => instance.request('GET', '/v2/me', credential);
const counts = (instance: TestApp) => ({ ...instance.nest.get(CredentialCache).counts });

/**
 * Repeats a look-up until two in a row came from the cache: the notification of the caller's own creation has
 * arrived.
 */
async function remember(instance: TestApp, credential: TestRequest): Promise<void> {
  await expect
    .poll(
      async () => {
        const { misses } = counts(instance);
        await me(instance, credential);
        await me(instance, credential);
        return counts(instance).misses - misses;
      },
      { timeout: 5_000, interval: 20 },
    )
    .toBe(0);
}

describe('while one organization changes its members', () => {
  it('the requests of other organizations look up no credential, on any instance', async () => {
    const busy = await newOrg(app);
    const calm = await newOrg(app);
    const member = await newMember(app, calm);
    const { apiKey: key } = await newKey(app, calm);
    const callers: TestRequest[] = [{ token: calm.owner.token }, { token: member.token }, { key }];
    const instances = [app, other];

    const ask = async (instance: TestApp) => {
      for (const caller of callers) expect((await me(instance, caller)).status).toBe(200);
    };
    for (let attempt = 1; ; attempt++) {
      for (const instance of instances) for (const caller of callers) await remember(instance, caller);
      const began = performance.now();
      const warm = await Promise.all(instances.map(instance => roundTrips(instance, () => ask(instance))));
      const { misses } = counts(other);
      const asked: number[][] = [];
      for (let n = 0; n < 5; n++) {
        const { userId } = await newMember(app, busy);
        const path = `${busy.path}/members/${userId}`;
        const { token } = busy.owner;
        await app.request('PATCH', path, { token, body: { roleSlug: 'admin' } });
        await app.request('DELETE', path, { token });
        asked.push(await Promise.all(instances.map(instance => roundTrips(instance, () => ask(instance)))));
      }
      // A credential is verified again every five seconds in any case: on a slow machine, try once more.
      if (performance.now() - began > 4_000 && attempt < 5) continue;
      expect(asked).toEqual(Array(5).fill(warm));
      expect(counts(other).misses).toBe(misses);
      return;
    }
  }, 60_000);
});

describe('a second instance', () => {
  let org: TestOrg;
  let caller: Person;

  beforeAll(async () => {
    org = await newOrg(app);
    caller = await newMember(app, org, { permissions: ['orgs:audit:read'] });
  });

  const permissionsOf = async (credential: TestRequest) => (await me(other, credential)).body.permissions;
  const owner = () => ({ token: org.owner.token });
  const post = async (path: string, body: object) =>
    (await app.request('POST', `${org.path}${path}`, { ...owner(), body })).body;

  /** The answer of the other instance after a change, whose former state is in its cache. */
  async function changes(
    credential: TestRequest,
    change: () => Promise<unknown>,
    seen: () => Promise<unknown>,
    wanted: unknown,
  ): Promise<void> {
    await remember(other, credential);
    await change();
    // The contract allows five seconds; a cache entry expires after five.
    await expect.poll(seen, { timeout: 2_000, interval: 20 }).toEqual(wanted);
  }
  const status = (credential: TestRequest) => async () => (await me(other, credential)).status;

  it.each([
    ['ended', 'DELETE'],
    ['deleted by hand', 'SQL'],
  ])('refuses a session that was %s', async (_, how) => {
    const { token, sessionId } = await person(app);
    const end = () =>
      how === 'SQL'
        ? app.sql('DELETE FROM sessions WHERE id = $1', [sessionId])
        : app.request('DELETE', `/v2/user/sessions/${sessionId}`, { token });
    await changes({ token }, end, status({ token }), 401);
  });

  it('refuses an access token that was deleted', async () => {
    const { token } = await person(app);
    const body = { name: 'script', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    const minted = (await app.request('POST', '/v2/user/accessTokens', { token, body })).body;
    const credential = { token: minted.token };
    const end = () => app.request('DELETE', `/v2/user/accessTokens/${minted._id}`, { token });
    await changes(credential, end, status(credential), 401);
  });

  it('refuses an organization key that was disabled', async () => {
    const { id, apiKey: key } = await newKey(app, org);
    const disable = () =>
      app.request('PATCH', `${org.path}/api-keys/${id}`, { ...owner(), body: { disabled: true } });
    await changes({ key }, disable, status({ key }), 401);
  });

  it('refuses the key of a workspace that was deleted, or whose organization was', async () => {
    const own = await newOrg(app);
    const token = own.owner.token;
    const keyOf = async () => {
      const workspace = await app.request('POST', '/v2/workspaces', {
        token,
        body: { name: 'W', orgSlug: own.slug },
      });
      const at = `/v2/workspaces/${workspace.body.id}`;
      const minted = await app.request('POST', `${at}/security/apikeys`, {
        token,
        body: { name: 'K', rules: [{ action: 'read', subject: 'workspaces' }] },
      });
      expect(minted.status).toBe(201);
      return { at, key: minted.body.apiKey ?? minted.body.value };
    };
    const first = await keyOf();
    const end = () => app.request('DELETE', first.at, { token });
    await changes({ key: first.key }, end, status({ key: first.key }), 401);
    const second = await keyOf();
    const deleteOrg = () => app.request('DELETE', own.path, { token });
    await changes({ key: second.key }, deleteOrg, status({ key: second.key }), 401);
  });

  it("refuses a service account's token after rotation, and applies its changed permissions", async () => {
    const { clientSecret, slug } = await post('/service-accounts', {
      slug: newSlug(),
      name: 'S',
      permissions: ['orgs:audit:read'],
    });
    const minted = await app.request('POST', `${org.path}/service-accounts/${slug}/token`, {
      body: { clientSecret },
    });
    const token = minted.body.accessToken;
    const narrow = () =>
      app.sql(`UPDATE service_accounts SET permissions = '{collections:read}' WHERE slug = $1`, [slug]);
    await changes({ token }, narrow, () => permissionsOf({ token }), ['collections:read']);
    const rotate = () => post(`/service-accounts/${slug}/rotate`, {});
    await changes({ token }, rotate, status({ token }), 401);
  });

  it('refuses the key of a deleted agent, and requests that act for it', async () => {
    const agent = await post('/agents', { slug: newSlug(), name: 'A' });
    const { apiKey: key } = await newKey(app, org, { ownerType: 'agent', ownerId: agent.id });
    const acting = { ...owner(), headers: { 'x-platform-agent-id': agent.id } };
    await remember(other, acting);
    const end = () => app.request('DELETE', `${org.path}/agents/${agent.id}`, owner());
    await changes({ key }, end, status({ key }), 401);
    expect((await me(other, acting)).status).toBe(403);
  });

  it('applies the changed permissions of a role, and the other role of a member', async () => {
    const { token, userId } = caller;
    const [{ role_slug: role }] = await app.sql(
      'SELECT role_slug FROM org_memberships WHERE org_id = $1 AND user_id = $2',
      [org.id, userId],
    );
    const change = () =>
      app.request('PATCH', `${org.path}/roles/${role}`, {
        ...owner(),
        body: { permissions: ['agents:act'] },
      });
    await changes({ token }, change, () => permissionsOf({ token }), ['agents:act']);
    const byHand = () => app.sql(`UPDATE org_roles SET permissions = '{}' WHERE slug = $1`, [role]);
    await changes({ token }, byHand, () => permissionsOf({ token }), []);
    const admin = () =>
      app.request('PATCH', `${org.path}/members/${userId}`, { ...owner(), body: { roleSlug: 'member' } });
    await changes({ token }, admin, async () => (await me(other, { token })).body.org.role.slug, 'member');
  });

  it("applies a member's new groups, and their deletion", async () => {
    const { token, userId } = caller;
    const group = await post('/groups', { slug: newSlug(), name: 'G' });
    const groups = async () => (await me(other, { token })).body.org.groups;
    const join = () => post(`/groups/${group.slug}/members`, { users: [{ userId }] });
    await changes({ token }, join, groups, [group.slug]);
    const end = () => app.request('DELETE', `${org.path}/groups/${group.slug}`, owner());
    await changes({ token }, end, groups, []);
  });

  it('applies the removal of a member, also by hand', async () => {
    const { token, userId } = await newMember(app, org);
    const orgs = async () => (await me(other, { token })).body.orgSlugs;
    const remove = () => app.request('DELETE', `${org.path}/members/${userId}`, owner());
    await changes({ token }, remove, orgs, []);
    const byHand = () =>
      app.sql(`INSERT INTO org_memberships (org_id, user_id, role_slug) VALUES ($1, $2, 'member')`, [
        org.id,
        userId,
      ]);
    await changes({ token }, byHand, orgs, [org.slug]);
  });

  it('refuses a disabled user, and the keys that the user owns', async () => {
    const { token, userId } = await newMember(app, org);
    const { apiKey: key } = await newKey(app, org, { ownerType: 'user', ownerId: userId });
    await remember(other, { key });
    const disable = () => app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
    await changes({ token }, disable, status({ token }), 401);
    expect((await me(other, { key })).status).toBe(401);
  });

  it('applies the deletion of an organization', async () => {
    const gone = await newOrg(app);
    const { token } = await newMember(app, gone);
    const { apiKey: key } = await newKey(app, gone);
    await remember(other, { key });
    const orgs = async () => (await me(other, { token })).body.orgSlugs;
    const end = () => app.request('DELETE', gone.path, { token: gone.owner.token });
    await changes({ token }, end, orgs, []);
    expect((await me(other, { key })).status).toBe(401);
  });
});

describe('the instance that makes a change', () => {
  it('applies it from the next request on', async () => {
    const org = await newOrg(app);
    const member = await newMember(app, org);
    for (let n = 0; n < 10; n++) {
      const roleSlug = n % 2 === 0 ? 'admin' : 'member';
      await me(app, { token: member.token });
      const body = { roleSlug };
      await app.request('PATCH', `${org.path}/members/${member.userId}`, { token: org.owner.token, body });
      expect((await me(app, { token: member.token })).body.org.role.slug).toBe(roleSlug);
    }
  });

  it('drops from its cache all members of a group too large to list, and no one of another organization', async () => {
    const org = await newOrg(app);
    const { token } = await newMember(app, org);
    const stranger = await person(app);
    const group = newSlug();
    await app.request('POST', `${org.path}/groups`, {
      token: org.owner.token,
      body: { slug: group, name: 'G' },
    });
    await app.sql(
      `WITH u AS (INSERT INTO users (id) SELECT gen_random_uuid() FROM generate_series(1, 300) RETURNING id),
       m AS (INSERT INTO org_memberships (org_id, user_id, role_slug) SELECT $1, id, 'member' FROM u RETURNING user_id)
       SELECT count(*) FROM m`,
      [org.id],
    );
    await app.sql(
      `INSERT INTO org_group_members (org_id, group_slug, user_id)
       SELECT org_id, $2, user_id FROM org_memberships WHERE org_id = $1`,
      [org.id, group],
    );
    await expect.poll(async () => (await me(app, { token })).body.org.groups).toEqual([group]);
    await remember(other, { token });
    await remember(other, { token: stranger.token });
    const { invalidations } = counts(other);
    await app.sql('DELETE FROM org_group_members WHERE org_id = $1', [org.id]);
    await expect
      .poll(async () => (await me(other, { token })).body.org.groups, { timeout: 2_000, interval: 20 })
      .toEqual([]);
    expect(counts(other).invalidations - invalidations).toBe(1);
  });
});
