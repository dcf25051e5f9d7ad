import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Person, person, signIn } from '../auth/person.js';
import { newEmail } from '../invites/invite.js';
import { enter, events, newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

describe('POST /v2/orgs/{orgSlug}/members', () => {
  const add = (users: object[], token = org.owner.token) =>
    app.request('POST', `${org.path}/members`, { token, body: { users } });
  const emailOf = async ({ userId }: Person): Promise<string> =>
    (await app.sql('SELECT email FROM users WHERE id = $1', [userId]))[0].email;

  it('answers the same for people with and without an account, and makes nobody a member', async () => {
    const ada = await person(app);
    const known = (await emailOf(ada)).toUpperCase();
    const unknown = newEmail();
    const answers = [await add([{ email: known }]), await add([{ email: unknown }])];
    for (const [index, { status, body }] of answers.entries()) {
      expect([status, Object.keys(body).sort()]).toEqual([201, ['invitations', 'results', 'total']]);
      expect([body.results, body.total]).toEqual([[], 0]);
      const [{ id: _, createdAt: __, ...invitation }] = body.invitations;
      expect(invitation).toEqual({
        ...{ email: [known, unknown][index], roleSlug: 'member', groups: [] },
        ...{ maxUses: 1, uses: 0, expiresAt: null, invitedBy: org.owner.userId },
      });
    }
    expect((await app.request('GET', org.path, { token: ada.token })).status).toBe(403);
    expect(answers[0]?.text).not.toContain(ada.userId);
  });

  it('sends the same statements for people with and without an account', async () => {
    const statementsFor = async (email: string) => {
      const texts: string[] = [];
      const source = app.nest.get(DataSource);
      // Other statements run at the same time, so only those that contain the address count.
      const logged = vi.spyOn(source.logger, 'logQuery').mockImplementation((text, values) => {
        if (values?.includes(email)) texts.push(text);
      });
      try {
        expect((await add([{ email }])).status).toBe(201);
      } finally {
        logged.mockRestore();
      }
      return texts;
    };
    const known = await statementsFor(await emailOf(await person(app)));
    expect(known.some(text => text.startsWith('INSERT INTO "org_invites"'))).toBe(true);
    expect(await statementsFor(newEmail())).toEqual(known);
  });

  it('accepts ids only of people who share an organization with the caller, and only invites them', async () => {
    const stranger = await person(app);
    const absent = '00000000-0000-7000-8000-000000000000';
    const [unknown, unrelated] = [await add([{ userId: absent }]), await add([{ userId: stranger.userId }])];
    expect([unknown.status, unknown.body.error]).toEqual([400, 'InvalidArguments']);
    expect(unrelated.text.replaceAll(stranger.userId, absent)).toBe(
      unknown.text.replace(/"correlation.*/, ''),
    );
    const elsewhere = await newOrg(app);
    await enter(app, elsewhere, org.owner);
    await enter(app, elsewhere, stranger);
    const { token } = await signIn(app, org.owner.userId);
    const { status, body } = await add([{ userId: stranger.userId, roleSlug: 'admin' }], token);
    expect([status, body.results, body.invitations]).toEqual([
      201,
      [],
      [expect.objectContaining({ email: null, userId: stranger.userId, roleSlug: 'admin' })],
    ]);
    expect((await app.request('GET', org.path, { token: stranger.token })).status).toBe(403);
    const other = await newMember(app, elsewhere);
    const accept = (by: Person) =>
      app.request('POST', `/v2/user/invitations/${body.invitations[0].id}/accept`, { token: by.token });
    expect((await accept(other)).status).toBe(404);
    expect((await accept(stranger)).body).toMatchObject({ slug: org.slug, roleSlug: 'admin' });
    expect((await app.request('GET', org.path, { token: stranger.token })).status).toBe(200);
  });

  it('invites no one if one of them cannot be invited', async () => {
    const email = newEmail();
    const before = (await events(app, org, 'orgs.')).length;
    const addTwo = async (second: object) => (await add([{ email }, second])).status;
    expect(await addTwo({ userId: org.owner.userId })).toBe(409);
    expect(await addTwo({ email: await emailOf(org.owner) })).toBe(409);
    expect(await addTwo({ email: email.toUpperCase() })).toBe(409);
    expect(await addTwo({ email: 'no address' })).toBe(400);
    expect(await addTwo({ userId: '00000000-0000-7000-8000-000000000000' })).toBe(400);
    expect(await addTwo({ userId: org.owner.userId, email: 'a@b.example' })).toBe(400);
    expect(await addTwo({ roleSlug: 'member' })).toBe(400);
    expect(await addTwo({ email: newEmail(), roleSlug: 'no-such-role' })).toBe(400);
    expect(await app.sql('SELECT 1 FROM org_invites WHERE lower(email) = lower($1)', [email])).toEqual([]);
    expect((await events(app, org, 'orgs.')).length).toBe(before);
  });

  it('refuses a role that holds more than the caller', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:read'] });
    const invite = async (roleSlug: string) => (await add([{ email: newEmail(), roleSlug }], token)).status;
    expect(await invite('owner')).toBe(403);
    expect(await invite('admin')).toBe(403);
    expect(await invite('member')).toBe(403);
    expect(await invite('no-such-role')).toBe(400);
    const reader = newSlug();
    const body = { slug: reader, name: 'Reader', permissions: ['collections:read'] };
    await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body });
    expect(await invite(reader)).toBe(201);
  });

  it('refuses groups that the organization does not have', async () => {
    await app.sql(`INSERT INTO org_groups (org_id, slug, name) VALUES ($1, 'sales', 'Sales')`, [org.id]);
    const refused = await add([{ email: newEmail(), groups: ['sales', 'marketing'] }]);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('marketing');
    const { body } = await add([{ email: newEmail(), groups: ['sales'] }]);
    expect(body.invitations[0].groups).toEqual(['sales']);
  });
});

describe('PATCH and DELETE /v2/orgs/{orgSlug}/members/{userId}', () => {
  it('changes the role, with effect at once', async () => {
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

  it('refuses changes of a member whose role holds more than the caller', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    const path = `${org.path}/members/${org.owner.userId}`;
    expect((await app.request('PATCH', path, { token, body: { roleSlug: 'member' } })).status).toBe(403);
    expect((await app.request('DELETE', path, { token })).status).toBe(403);
    const { userId } = await newMember(app, org);
    expect((await app.request('DELETE', `${org.path}/members/${userId}`, { token })).status).toBe(200);
  });

  it('lets a person leave, and ends their rights at once', async () => {
    const { userId, token } = await newMember(app, org);
    const other = await newMember(app, org);
    expect((await app.request('DELETE', `${org.path}/members/${other.userId}`, { token })).status).toBe(403);
    const { status, body } = await app.request('DELETE', `${org.path}/members/${userId}`, { token });
    expect([status, body]).toEqual([200, { success: true, webhooks: 0 }]);
    expect((await app.request('GET', org.path, { token })).status).toBe(403);
    expect((await events(app, org, 'orgs.members.removed')).at(-1)?.target.id).toBe(userId);
  });

  it('says how many webhooks of the person stay', async () => {
    const member = await newMember(app, org, 'admin');
    const hooksOf = async ({ token }: Pick<Person, 'token'>) => {
      const made = await app.request('POST', '/v1/collections', { token, body: { name: newSlug() } });
      return async () => {
        const path = `/v1/collections/${made.body.collection_id}/webhooks`;
        const body = { url: 'https://hooks.example.com/members' };
        const { status, body: hook } = await app.request('POST', path, { token, body });
        expect(status).toBe(201);
        return `${path}/${hook.id}`;
      };
    };
    const create = await hooksOf(member);
    const [deleted] = [await create(), await create(), await create()];
    await app.request('DELETE', deleted, { token: member.token });
    await (await hooksOf(org.owner))();
    const { token } = org.owner;
    const { body } = await app.request('DELETE', `${org.path}/members/${member.userId}`, { token });
    expect(body).toEqual({ success: true, webhooks: 2 });
  });

  it('does not let a person’s narrowed key leave for them', async () => {
    const { userId } = await newMember(app, org);
    const { apiKey } = await newKey(app, org, {
      permissions: ['collections:read'],
      ownerType: 'user',
      ownerId: userId,
    });
    expect((await app.request('DELETE', `${org.path}/members/${userId}`, { key: apiKey })).status).toBe(403);
  });

  it('lets only an owner in person grant, change or remove the role owner', async () => {
    const company = await newOrg(app);
    const second = await newMember(app, company, 'owner');
    const admin = await newMember(app, company, 'admin');
    const asAdmin = { token: admin.token };
    const other = await newMember(app, company);
    const all = await newKey(app, company, { permissions: ['*'] });
    const asOwner = { ownerType: 'user', ownerId: company.owner.userId };
    const ofOwner = await newKey(app, company, { permissions: ['*'], ...asOwner });
    const madeByAdmin = await app.request('POST', `${company.path}/api-keys`, {
      ...asAdmin,
      body: { slug: newSlug(), name: 'Key', permissions: ['*'], ...asOwner },
    });
    const at = ({ userId }: Person) => `${company.path}/members/${userId}`;
    const users = [{ email: newEmail(), roleSlug: 'owner' }];
    const invitation = { email: newEmail(), roleSlug: 'owner' };
    const callers = [asAdmin, { key: all.apiKey }, { key: ofOwner.apiKey }, { key: madeByAdmin.body.apiKey }];
    for (const caller of callers) {
      for (const [method, path, body] of [
        ['PATCH', at(admin), { roleSlug: 'owner' }],
        ['PATCH', at(other), { roleSlug: 'owner' }],
        ['PATCH', at(second), { roleSlug: 'member' }],
        ['DELETE', at(second), undefined],
        ['POST', `${company.path}/members`, { users }],
        ['POST', `${company.path}/invites`, invitation],
        ['POST', `${company.path}/invites`, { roleSlug: 'owner' }],
        ['PATCH', company.path, { defaultRole: 'owner' }],
      ] as const) {
        const { status } = await app.request(method, path, { ...caller, body });
        expect([method, path, body, status >= 400 && status < 404]).toEqual([method, path, body, true]);
      }
    }
    const owners = await app.sql(
      `SELECT user_id FROM org_memberships WHERE org_id = $1 AND role_slug = 'owner' ORDER BY joined_at`,
      [company.id],
    );
    expect(owners.map(row => row.user_id)).toEqual([company.owner.userId, second.userId]);
    expect(await app.sql('SELECT 1 FROM org_invites WHERE org_id = $1 AND uses = 0', [company.id])).toEqual(
      [],
    );

    const { token } = company.owner;
    const changed = await app.request('PATCH', at(admin), { token, body: { roleSlug: 'owner' } });
    expect([changed.status, changed.body.roleSlug]).toEqual([200, 'owner']);
    expect((await app.request('DELETE', at(second), asAdmin)).status).toBe(200);
  });

  it('makes nobody an owner by an invitation from a former owner', async () => {
    const company = await newOrg(app);
    const second = await newMember(app, company, 'owner');
    const invite = async (token: string) =>
      (await app.request('POST', `${company.path}/invites`, { token, body: { roleSlug: 'owner' } })).body;
    const { code } = await invite(second.token);
    await app.request('PATCH', `${company.path}/members/${second.userId}`, {
      token: company.owner.token,
      body: { roleSlug: 'admin' },
    });
    const { token } = await person(app);
    expect((await app.request('POST', '/v2/orgs/join', { token, body: { code } })).status).toBe(404);
  });

  it('keeps the only owner', async () => {
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

  it('keeps one owner when all of them leave at the same time', async () => {
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

  it('does not count a disabled person as a remaining owner', async () => {
    const company = await newOrg(app);
    const second = await newMember(app, company, 'owner');
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [second.userId]);
    const own = `${company.path}/members/${company.owner.userId}`;
    expect((await app.request('DELETE', own, { token: company.owner.token })).status).toBe(409);
  });

  it.each(['00000000-0000-7000-8000-000000000000', 'not-a-uuid'])('returns 404 for %s', async userId => {
    const path = `${org.path}/members/${userId}`;
    const { token } = org.owner;
    expect((await app.request('PATCH', path, { token, body: { roleSlug: 'member' } })).status).toBe(404);
    expect((await app.request('DELETE', path, { token })).body.error).toBe('NotFound');
  });
});
