import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Person, signIn } from '../auth/person.js';
import { newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
let visitor: Person;

beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  const role = { slug: 'visitor', name: 'Visitor', permissions: ['collections:*', 'agents:act', 'orgs:*'] };
  await app.request('POST', `${org.path}/roles`, { ...org.owner, body: role });
  const body = { auth: { anonymous: { enabled: true, role: 'visitor' } } };
  await app.request('PATCH', org.path, { ...org.owner, body });
  visitor = await anonymous();
});

async function anonymous(): Promise<Person> {
  const { body } = await app.request('POST', '/v2/login/anonymous', { body: { orgSlug: org.slug } });
  return body;
}

const memberOf = async ({ userId }: Person) => {
  const { body } = await app.request('GET', `${org.path}/members?limit=100`, org.owner);
  return body.results.find((each: { userId: string }) => each.userId === userId);
};

describe('an anonymous member', () => {
  it('is listed as one', async () => {
    expect(await memberOf(visitor)).toMatchObject({ roleSlug: 'visitor', via: 'anonymous' });
    expect(await memberOf(org.owner)).not.toHaveProperty('via');
  });

  it.each(['members', 'groups', 'roles', 'agents'])(
    'gets 403 for the %s of the organization, whatever its role permits',
    async list => {
      const { status, body } = await app.request('GET', `${org.path}/${list}`, { token: visitor.token });
      expect([status, body.error]).toEqual([403, 'Forbidden']);
      expect(JSON.stringify(body)).not.toContain(org.owner.userId);
    },
  );

  it('changes no members, and acts for no agent', async () => {
    const { body: agent } = await app.request('POST', `${org.path}/agents`, {
      ...org.owner,
      body: { slug: newSlug(), name: 'Agent' },
    });
    const { token } = visitor;
    const removed = await app.request('DELETE', `${org.path}/members/${org.owner.userId}`, { token });
    const asAgent = await app.request('GET', '/v1/collections', {
      token,
      headers: { 'x-platform-agent-id': agent.id },
    });
    expect([removed.status, asAgent.status]).toEqual([403, 403]);
  });

  it('creates neither organizations nor collections', async () => {
    const { token } = visitor;
    const body = { slug: newSlug(), name: 'Own' };
    expect((await app.request('POST', '/v2/orgs', { token, body })).status).toBe(403);
    const created = await app.request('POST', '/v1/collections', { token, body: { name: 'own' } });
    expect([created.status, created.body.error]).toEqual([403, 'Forbidden']);
  });

  it('sees neither the owner nor the agents of a collection', async () => {
    const { body: agent } = await app.request('POST', `${org.path}/agents`, {
      ...org.owner,
      body: { slug: newSlug(), name: 'Agent' },
    });
    const made = await app.request('POST', '/v1/collections', {
      ...org.owner,
      body: { name: newSlug(), agent_ids: [agent.id] },
    });
    const path = `/v1/collections/${made.body.collection_id}`;
    await app.request('POST', `${path}/access`, {
      ...org.owner,
      body: { principal_type: 'user', principal_id: visitor.userId, role: 'reader' },
    });
    const shown = await app.request('GET', path, { token: visitor.token });
    expect(shown.body).toMatchObject({ owner_id: null, owner_name: null, agent_ids: [], my_role: 'reader' });
    expect(shown.text).not.toContain(org.owner.userId);
    const listed = await app.request('GET', '/v1/collections?scope=all', { token: visitor.token });
    expect(listed.body.items).toMatchObject([{ owner_id: null, owner_name: null, agent_ids: [] }]);
    const owned = await app.request('GET', path, org.owner);
    expect(owned.body).toMatchObject({ owner_id: org.owner.userId, agent_ids: [agent.id] });
  });

  it('is an ordinary member once a manager of members gives it another role', async () => {
    const person = await anonymous();
    await app.sql('UPDATE users SET anonymous = false WHERE id = $1', [person.userId]);
    const again = await signIn(app, person.userId);
    expect((await app.request('GET', `${org.path}/members`, again)).status).toBe(403);
    const body = { roleSlug: 'member' };
    const changed = await app.request('PATCH', `${org.path}/members/${person.userId}`, {
      ...org.owner,
      body,
    });
    expect(changed.status).toBe(200);
    expect(changed.body).not.toHaveProperty('via');
    expect((await app.request('GET', `${org.path}/members`, again)).status).toBe(200);
  });

  it('may leave, and creates no organization afterwards', async () => {
    const person = await anonymous();
    await app.sql('UPDATE users SET anonymous = false WHERE id = $1', [person.userId]);
    const again = await signIn(app, person.userId);
    const left = await app.request('DELETE', `${org.path}/members/${person.userId}`, again);
    expect(left.status).toBe(200);
    const body = { slug: newSlug(), name: 'Own' };
    expect((await app.request('POST', '/v2/orgs', { ...again, body })).status).toBe(403);
  });
});

describe('the sign-up of an organization', () => {
  const update = (signUp: object, token = org.owner.token) =>
    app.request('PATCH', org.path, { token, body: { signUp } });

  it('is off until somebody sets it', async () => {
    expect((await app.request('GET', org.path, org.owner)).body).not.toHaveProperty('signUp');
  });

  it('is set with a role, groups and domains', async () => {
    await app.request('POST', `${org.path}/groups`, {
      ...org.owner,
      body: { slug: 'buyers', name: 'Buyers' },
    });
    const signUp = { email: true, roleSlug: 'visitor', groups: ['buyers'], domains: ['example.com'] };
    const { status, body } = await update(signUp);
    expect([status, body.signUp]).toEqual([200, signUp]);
    expect((await app.request('GET', org.path, org.owner)).body.signUp).toEqual(signUp);
  });

  it.each([
    { email: true },
    { email: true, roleSlug: 'owner' },
    { email: true, roleSlug: 'admin' },
    { email: true, roleSlug: 'member' },
    { email: true, roleSlug: 'unknown' },
    { email: true, roleSlug: 'visitor', groups: ['unknown'] },
    { email: true, roleSlug: 'visitor', domains: ['not a domain'] },
  ])('refuses %j', async signUp => {
    const { status, body } = await update(signUp);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
  });

  it('counts as granting its role, which cannot be deleted', async () => {
    const { status } = await update({ email: true, roleSlug: 'visitor' });
    expect(status).toBe(200);
    const removed = await app.request('DELETE', `${org.path}/roles/visitor`, org.owner);
    expect(removed.status).toBe(409);
    const manager = await newMember(app, org, { permissions: ['orgs:manage'] });
    expect((await update({ email: true, roleSlug: 'visitor' }, manager.token)).status).toBe(403);
  });
});
