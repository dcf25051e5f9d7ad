import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Agents } from '../../../src/features/identity/users.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Caller, eventsOf, newCollection, newName, outcome } from '../../harness/collection.js';
import { type Person, person } from '../auth/person.js';
import { enter, newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { newAgent } from '../sharing/sharing.js';

let app: TestApp;
let org: TestOrg;
let agent: { id: string; slug: string };
let ada: Person;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  agent = await newAgent(app, org);
  ada = await newMember(app, org, { permissions: ['agents:act', 'collections:*'] });
});

const as = (caller: Caller, id = agent.id) => ({ ...caller, headers: { 'x-platform-agent-id': id } });
const me = (caller: Caller, id = agent.id) => app.request('GET', '/v2/me', as(caller, id));

describe('a user who sends x-platform-agent-id', () => {
  it("acts as the agent, with the user's permissions in the organization", async () => {
    const { status, body } = await me(ada);
    expect(status).toBe(200);
    expect(body.principal).toEqual({ type: 'agent', id: agent.id, slug: agent.slug });
    expect(body).not.toHaveProperty('email');
    expect(body.permissions).toEqual(['agents:act', 'collections:*']);
    expect(body.org.role.slug).toBeNull();
  });

  it('creates things that the agent owns, and the audit event names both', async () => {
    const body = { name: newName() };
    const made = await app.request('POST', '/v1/collections', { ...as(ada), body });
    expect(made.body).toMatchObject({ owner_type: 'agent', owner_id: agent.id });
    const [event] = await eventsOf(app, { id: made.body.collection_id, orgId: org.id });
    expect(event?.actor).toEqual({ type: 'agent', id: agent.id, via: 'rest', actingUserId: ada.userId });
  });

  it('leaves audit events that name the agent for records as well', async () => {
    const notes = await newCollection(app, { org, owner: as(ada) as Caller });
    await app.request('POST', notes.data, { ...as(ada), body: { records: { n: 1 } } });
    const last = (await eventsOf(app, notes)).at(-1);
    expect(last).toMatchObject({
      type: 'collections.records.inserted',
      actor: { type: 'agent', id: agent.id, actingUserId: ada.userId },
    });
  });

  it("has access to the agent's things, and not to the user's own", async () => {
    const own = await newCollection(app, { org, owner: { token: ada.token } });
    const shared = await newCollection(
      app,
      { org, owner: { token: org.owner.token } },
      { agent_ids: [agent.id] },
    );
    expect((await app.request('GET', own.path, ada)).status).toBe(200);
    expect(outcome(await app.request('GET', own.path, as(ada)))).toEqual([404, 'CollectionNotFound']);
    expect((await app.request('GET', shared.path, ada)).status).toBe(404);
    const write = await app.request('POST', shared.data, { ...as(ada), body: { records: {} } });
    expect(write.status).toBe(200);
    expect((await app.request('PATCH', shared.path, { ...as(ada), body: { description: 'x' } })).status).toBe(
      403,
    );
  });

  it('has no access to everything even as owner of the organization', async () => {
    const own = await newCollection(app, { org, owner: { token: org.owner.token } });
    expect((await app.request('GET', own.path, as(org.owner))).status).toBe(404);
  });

  it('has no permission that the user lacks', async () => {
    const bob = await newMember(app, org, { permissions: ['agents:act', 'collections:read'] });
    const shared = await newCollection(
      app,
      { org, owner: { token: org.owner.token } },
      { agent_ids: [agent.id] },
    );
    expect((await app.request('GET', shared.path, as(bob))).status).toBe(200);
    const write = await app.request('POST', shared.data, { ...as(bob), body: { records: {} } });
    expect(outcome(write)).toEqual([403, 'Forbidden']);
  });

  it('can also act with an API key of the user, within the permissions of the key', async () => {
    const owned = { ownerType: 'user', ownerId: ada.userId };
    const may = await newKey(app, org, { ...owned, permissions: ['*'] });
    const mayNot = await newKey(app, org, { ...owned, permissions: ['collections:*'] });
    expect((await me({ key: may.apiKey })).body.principal.id).toBe(agent.id);
    expect((await me({ key: mayNot.apiKey })).status).toBe(403);
  });

  it('gets the same refusal for an unknown agent, a foreign one and a malformed id, and without agents:act', async () => {
    const foreign = await newAgent(app, await newOrg(app));
    const member = await newMember(app, org);
    const answers = [
      await me(ada, foreign.id),
      await me(ada, randomUUID()),
      await me(ada, 'importer'),
      await me(ada, agent.slug),
      await me(ada, ''),
      await me(ada, `${agent.id}, ${agent.id}`),
      await me(member),
      await me(member, randomUUID()),
    ];
    for (const answer of answers) expect(outcome(answer)).toEqual([403, 'Forbidden']);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).not.toContain(foreign.id);
  });

  it('must be a user: keys without a user and agents are refused', async () => {
    const orgKey = await newKey(app, org, { permissions: ['*'] });
    const other = await newAgent(app, org, ['*']);
    for (const key of [orgKey.apiKey, other.key])
      expect(outcome(await me({ key }))).toEqual([403, 'Forbidden']);
  });

  it('is refused with 401 first when the credential is invalid', async () => {
    expect((await me({ token: 'at:nonsense' })).status).toBe(401);
    expect((await me({})).status).toBe(401);
  });

  it('acts for agents of the active organization, or of the one in the path', async () => {
    const other = await newOrg(app);
    const theirs = await newAgent(app, other);
    await enter(app, other, ada, 'admin');
    const list = (path: string, id: string) => app.request('GET', `${path}/agents`, as(ada, id));
    expect((await list(other.path, theirs.id)).status).toBe(200);
    expect((await list(other.path, agent.id)).status).toBe(403);
    expect((await list(org.path, agent.id)).status).toBe(200);
    expect((await me(ada, theirs.id)).status).toBe(403);
    await app.request('PUT', '/v2/user/active-org', { ...ada, body: { orgSlug: other.slug } });
    expect((await me(ada, theirs.id)).status).toBe(200);
    await app.request('PUT', '/v2/user/active-org', { ...ada, body: { orgSlug: org.slug } });
  });

  it('must have an organization', async () => {
    const answer = await app.request('GET', '/v1/collections', as(await person(app)));
    expect(outcome(answer)).toEqual([403, 'OrganizationMembershipRequired']);
  });

  it("cannot use the user's own sessions, tokens and organizations", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const answers = [
      await app.request('GET', '/v2/user/sessions', as(ada)),
      await app.request('GET', '/v2/user/accessTokens', as(ada)),
      await app.request('POST', '/v2/user/accessTokens', { ...as(ada), body: { name: 'x', expiresAt } }),
      await app.request('PUT', '/v2/user/active-org', { ...as(ada), body: { orgSlug: org.slug } }),
      await app.request('POST', '/v2/orgs', { ...as(ada), body: { slug: 'x-agents', name: 'x' } }),
      await app.request('GET', '/v2/orgs', as(ada)),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [403, 'Forbidden']));
  });

  it('causes no round trip once cached, and is not mistaken for the user or another agent', async () => {
    const other = await newAgent(app, org);
    const bob = await newMember(app, org, { permissions: ['agents:act'] });
    const find = vi.spyOn(app.nest.get(Agents), 'find');
    try {
      expect((await me(bob)).body.principal.id).toBe(agent.id);
      expect(find).toHaveBeenCalledWith(org.id, agent.id);
      // Notifications of the changes of earlier tests may still arrive, and each of them empties the cache.
      const lookups = async () => {
        find.mockClear();
        await me(bob);
        return find.mock.calls.length;
      };
      await expect.poll(lookups).toBe(0);
    } finally {
      find.mockRestore();
    }
    expect((await me(bob, other.id)).body.principal.id).toBe(other.id);
    expect((await me(bob)).body.principal.id).toBe(agent.id);
    expect((await app.request('GET', '/v2/me', bob)).body.id).toBe(bob.userId);
  });

  it('loses this at once when the permission or the agent is removed', async () => {
    const bob = await newMember(app, org, { permissions: ['agents:act'] });
    const short = await newAgent(app, org);
    expect((await me(bob, short.id)).status).toBe(200);
    await app.request('DELETE', `${org.path}/agents/${short.id}`, org.owner);
    expect((await me(bob, short.id)).status).toBe(403);
    expect((await me(bob)).status).toBe(200);
    await app.request('PATCH', `${org.path}/members/${bob.userId}`, {
      ...org.owner,
      body: { roleSlug: 'member' },
    });
    expect((await me(bob)).status).toBe(403);
  });

  it('loses this within 5 seconds when the agent is deleted by hand', async () => {
    const short = await newAgent(app, org);
    expect((await me(ada, short.id)).status).toBe(200);
    await app.sql('DELETE FROM agents WHERE id = $1', [short.id]);
    await expect.poll(async () => (await me(ada, short.id)).status, { timeout: 6_000 }).toBe(403);
  });
});
