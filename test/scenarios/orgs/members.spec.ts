import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { person } from '../auth/person.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

describe('POST /v2/orgs/{orgSlug}/members', () => {
  it('adds people by id and by e-mail address, all at once', async () => {
    const [ada, bob] = [await person(app), await person(app)];
    const [{ email }] = await app.sql('SELECT upper(email) AS email FROM users WHERE id = $1', [bob.userId]);
    const users = [{ userId: ada.userId, roleSlug: 'admin' }, { email }];
    const { status, body } = await app.request('POST', `${org.path}/members`, {
      token: org.owner.token,
      body: { users },
    });
    expect(status).toBe(201);
    expect(body.total).toBe(2);
    expect(body.results).toMatchObject([
      { userId: ada.userId, roleSlug: 'admin', status: 'active' },
      { userId: bob.userId, roleSlug: 'member', email: email.toLowerCase(), groups: [] },
    ]);
    expect((await app.request('GET', org.path, { token: bob.token })).status).toBe(200);
    const added = await events(app, org, 'orgs.members.added');
    expect(added.slice(-2).map(event => event.target.id)).toEqual([ada.userId, bob.userId]);
    expect(added.at(-1)?.actor).toEqual({ type: 'user', id: org.owner.userId, via: 'rest' });
  });

  it('adds nobody when one of them cannot be added', async () => {
    const newcomer = await person(app);
    const before = (await events(app, org, 'orgs.members')).length;
    const add = (second: object) =>
      app.request('POST', `${org.path}/members`, {
        token: org.owner.token,
        body: { users: [{ userId: newcomer.userId }, second] },
      });
    expect((await add({ userId: org.owner.userId })).status).toBe(409);
    expect((await add({ email: 'no address' })).status).toBe(400);
    expect((await add({ userId: '00000000-0000-7000-8000-000000000000' })).status).toBe(400);
    expect((await add({ userId: newcomer.userId, email: 'a@b.example' })).status).toBe(400);
    expect((await add({ roleSlug: 'member' })).status).toBe(400);
    expect((await app.request('GET', org.path, { token: newcomer.token })).status).toBe(403);
    expect((await events(app, org, 'orgs.members')).length).toBe(before);
  });

  it('gives nobody a role beyond the one who gives it', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:read'] });
    const { userId } = await person(app);
    const add = async (roleSlug: string) =>
      (await app.request('POST', `${org.path}/members`, { token, body: { users: [{ userId, roleSlug }] } }))
        .status;
    expect(await add('owner')).toBe(403);
    expect(await add('admin')).toBe(403);
    expect(await add('member')).toBe(403);
    expect(await add('no-such-role')).toBe(400);
    const reader = newSlug();
    const body = { slug: reader, name: 'Reader', permissions: ['collections:read'] };
    await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body });
    expect(await add(reader)).toBe(201);
  });

  it('knows only groups of the organization', async () => {
    const { userId } = await person(app);
    await app.sql(`INSERT INTO org_groups (org_id, slug, name) VALUES ($1, 'sales', 'Sales')`, [org.id]);
    const add = (groups: string[]) =>
      app.request('POST', `${org.path}/members`, {
        token: org.owner.token,
        body: { users: [{ userId, groups }] },
      });
    const refused = await add(['sales', 'marketing']);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('marketing');
    expect((await add(['sales'])).body.results[0].groups).toEqual(['sales']);
  });
});

describe('PATCH and DELETE /v2/orgs/{orgSlug}/members/{userId}', () => {
  it('changes the role, which counts at once', async () => {
    const { userId, token } = await newMember(app, org);
    expect((await app.request('GET', `${org.path}/api-keys`, { token })).status).toBe(403);
    const { status, body } = await app.request('PATCH', `${org.path}/members/${userId}`, {
      token: org.owner.token,
      body: { roleSlug: 'admin' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId, roleSlug: 'admin' });
    expect((await app.request('GET', `${org.path}/api-keys`, { token })).status).toBe(200);
    const [event] = (await events(app, org, 'orgs.members.updated')).slice(-1);
    expect(event?.changes).toEqual({ before: { roleSlug: 'member' }, after: { roleSlug: 'admin' } });
  });

  it('lets nobody touch a member whose role is beyond theirs', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    const path = `${org.path}/members/${org.owner.userId}`;
    expect((await app.request('PATCH', path, { token, body: { roleSlug: 'member' } })).status).toBe(403);
    expect((await app.request('DELETE', path, { token })).status).toBe(403);
    const { userId } = await newMember(app, org);
    expect((await app.request('DELETE', `${org.path}/members/${userId}`, { token })).status).toBe(200);
  });

  it('lets a person leave, and takes away what they could do at once', async () => {
    const { userId, token } = await newMember(app, org);
    const other = await newMember(app, org);
    expect((await app.request('DELETE', `${org.path}/members/${other.userId}`, { token })).status).toBe(403);
    const { status, body } = await app.request('DELETE', `${org.path}/members/${userId}`, { token });
    expect([status, body]).toEqual([200, { success: true }]);
    expect((await app.request('GET', org.path, { token })).status).toBe(403);
    expect((await events(app, org, 'orgs.members.removed')).at(-1)?.target.id).toBe(userId);
  });

  it('does not let a narrowed key of a person leave for them', async () => {
    const { userId } = await newMember(app, org);
    const { apiKey } = await newKey(app, org, {
      permissions: ['collections:read'],
      ownerType: 'user',
      ownerId: userId,
    });
    expect((await app.request('DELETE', `${org.path}/members/${userId}`, { key: apiKey })).status).toBe(403);
  });

  it('keeps the last owner', async () => {
    const { path, owner } = await newOrg(app);
    const own = `${path}/members/${owner.userId}`;
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { roleSlug: 'admin' }],
    ] as const) {
      const answer = await app.request(method, own, { token: owner.token, body });
      expect([answer.status, answer.body.error]).toEqual([409, 'Conflict']);
    }
    expect((await app.request('GET', path, { token: owner.token })).status).toBe(200);
  });

  it('keeps one owner when all leave at the same time', async () => {
    const company = await newOrg(app);
    const owners = [company.owner];
    for (let i = 0; i < 4; i++) owners.push(await newMember(app, company, 'owner'));
    const answers = await Promise.all(
      owners.map(({ userId, token }) =>
        app.request('DELETE', `${company.path}/members/${userId}`, { token }),
      ),
    );
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 200, 200, 409]);
    const left = await app.sql('SELECT role_slug FROM org_memberships WHERE org_id = $1', [company.id]);
    expect(left).toEqual([{ role_slug: 'owner' }]);
  });

  it('does not count a disabled person as an owner who stays', async () => {
    const company = await newOrg(app);
    const second = await newMember(app, company, 'owner');
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [second.userId]);
    const own = `${company.path}/members/${company.owner.userId}`;
    expect((await app.request('DELETE', own, { token: company.owner.token })).status).toBe(409);
  });

  it.each(['00000000-0000-7000-8000-000000000000', 'not-a-uuid'])('answers 404 for %s', async userId => {
    const path = `${org.path}/members/${userId}`;
    const { token } = org.owner;
    expect((await app.request('PATCH', path, { token, body: { roleSlug: 'member' } })).status).toBe(404);
    expect((await app.request('DELETE', path, { token })).body.error).toBe('NotFound');
  });
});
