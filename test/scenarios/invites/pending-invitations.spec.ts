import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { events, newDomain, newKey, newMember, newOrg, prove, type TestOrg } from '../orgs/org.js';
import { arrival, join, newEmail, newInvite, rolesIn } from './invite.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  await app.sql(`INSERT INTO org_groups (org_id, slug, name) VALUES ($1, 'sales', 'Sales')`, [org.id]);
});

const add = (users: object[], token = org.owner.token) =>
  app.request('POST', `${org.path}/members`, { token, body: { users } });

describe('POST /v2/orgs/{orgSlug}/members', () => {
  it('adds the people to the list of invitations, without a code', async () => {
    const email = newEmail();
    const { status, body } = await add([{ email, groups: ['sales'] }]);
    expect(status).toBe(201);
    expect(body.invitations).toEqual([
      expect.objectContaining({ email, roleSlug: 'member', groups: ['sales'], maxUses: 1, uses: 0 }),
    ]);
    expect(body.invitations[0]).not.toHaveProperty('code');
    const { results } = (await app.request('GET', `${org.path}/invites`, { token: org.owner.token })).body;
    expect(results[0]).toEqual(body.invitations[0]);
    const [event] = (await events(app, org, 'orgs.invites.created')).slice(-1);
    expect(event?.target.id).toBe(results[0].id);
  });

  it('refuses roles and groups that the caller could not grant', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    expect((await add([{ email: newEmail(), roleSlug: 'admin' }], token)).status).toBe(403);
    expect((await add([{ email: newEmail(), groups: ['sales'] }], token)).status).toBe(403);
    expect((await add([{ email: newEmail() }], token)).status).toBe(201);
  });
});

describe('/v2/user/invitations', () => {
  const list = async ({ token }: Pick<Person, 'token'>) =>
    (await app.request('GET', '/v2/user/invitations', { token })).body;
  const answer = (who: Pick<Person, 'token'>, id: string, how: 'accept' | 'decline') =>
    app.request('POST', `/v2/user/invitations/${id}/${how}`, { token: who.token });
  const emailOf = async ({ userId }: Person): Promise<string> =>
    (await app.sql('SELECT email FROM users WHERE id = $1', [userId]))[0].email;
  const inviteOf = async (email: string, more: object = {}) =>
    (await add([{ email, ...more }])).body.invitations[0].id as string;

  it('lists open invitations for the caller’s verified address, whatever its case, and no others', async () => {
    const ada = await person(app);
    const id = await inviteOf((await emailOf(ada)).toUpperCase(), { groups: ['sales'] });
    expect(await list(ada)).toEqual({
      results: [
        {
          ...{ id, orgSlug: org.slug, orgName: 'Acme', roleSlug: 'member', groups: ['sales'] },
          ...{ expiresAt: null, createdAt: expect.any(String) },
        },
      ],
      total: 1,
    });
    expect(await list(await person(app))).toEqual({ results: [], total: 0 });
  });

  it('accepts an invitation once, with its role and groups', async () => {
    const ada = await person(app);
    const id = await inviteOf(await emailOf(ada), { roleSlug: 'admin', groups: ['sales'] });
    const accepted = await answer(ada, id, 'accept');
    expect([accepted.status, accepted.body]).toEqual([
      201,
      { slug: org.slug, name: 'Acme', roleSlug: 'admin', groups: ['sales'] },
    ]);
    expect((await app.request('GET', `${org.path}/api-keys`, { token: ada.token })).status).toBe(200);
    expect((await answer(ada, id, 'accept')).status).toBe(404);
    expect((await list(ada)).total).toBe(0);
    const [event] = (await events(app, org, 'orgs.invites.accepted')).slice(-1);
    expect(event).toMatchObject({ target: { id }, actor: { id: ada.userId } });
  });

  it('declines an invitation, which then cannot be accepted', async () => {
    const ada = await person(app);
    const id = await inviteOf(await emailOf(ada));
    expect((await answer(ada, id, 'decline')).body).toEqual({ success: true });
    for (const how of ['accept', 'decline'] as const) expect((await answer(ada, id, how)).status).toBe(404);
    expect(await rolesIn(app, org)).not.toHaveProperty(ada.userId);
    const [event] = (await events(app, org, 'orgs.invites.declined')).slice(-1);
    expect(event).toMatchObject({ target: { id }, actor: { id: ada.userId } });
  });

  it('declines with a single connection, so that many requests at once do not wait for each other', async () => {
    const small = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { PUBLIC_URL: app.url, DATABASE_POOL_SIZE: '4' },
    });
    onTestFinished(() => small.close());
    const people = await Promise.all(Array.from({ length: 12 }, () => person(app)));
    const ids: string[] = [];
    for (const each of people) ids.push(await inviteOf(await emailOf(each)));
    const declined = people.map(({ token }, n) =>
      small.request('POST', `/v2/user/invitations/${ids[n]}/decline`, { token }),
    );
    expect((await Promise.all(declined)).map(({ status }) => status)).toEqual(people.map(() => 200));
  });

  it('answers the same for every invitation that the caller cannot use', async () => {
    const ada = await person(app);
    const [mine, expired] = [newEmail(), newEmail()];
    const unverified = await arrival(app, mine, false);
    const forUnverified = await inviteOf(mine);
    await app.sql('UPDATE users SET email = $1 WHERE id = $2', [expired, ada.userId]);
    const old = await inviteOf(expired);
    await app.sql(`UPDATE org_invites SET expires_at = '2020-01-01' WHERE id = $1`, [old]);
    const absent = await answer(ada, '00000000-0000-7000-8000-000000000000', 'accept');
    expect([absent.status, absent.body.error]).toEqual([404, 'NotFound']);
    for (const [who, id] of [
      [ada, old],
      [ada, forUnverified],
      [ada, 'no-uuid'],
      [unverified, forUnverified],
    ] as const) {
      for (const how of ['accept', 'decline'] as const) {
        const { status, body } = await answer(who, id, how);
        expect([status, body.message]).toEqual([404, absent.body.message]);
      }
    }
    expect((await list(unverified)).total).toBe(0);
  });

  it('revokes other invitations of a new member, so that nobody returns by one after being removed', async () => {
    const ada = await person(app);
    const email = await emailOf(ada);
    const byCode = await newInvite(app, org);
    const left = await inviteOf(email);
    expect((await join(app, ada, byCode.code)).status).toBe(201);
    await app.request('DELETE', `${org.path}/members/${ada.userId}`, { token: org.owner.token });
    expect((await answer(ada, left, 'accept')).status).toBe(404);
    expect((await events(app, org, 'orgs.invites.revoked')).at(-1)?.target.id).toBe(left);
  });

  it('accepts exactly one of many concurrent requests', async () => {
    const ada = await person(app);
    const id = await inviteOf(await emailOf(ada));
    const answers = await Promise.all(Array.from({ length: 10 }, () => answer(ada, id, 'accept')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 404, 409].includes(status))).toBe(true);
  });

  it('refuses keys and anonymous users', async () => {
    const { apiKey } = await newKey(app, org);
    const anonymous = (await app.request('POST', '/v2/login/anonymous')).body;
    expect((await app.request('GET', '/v2/user/invitations', { key: apiKey })).status).toBe(403);
    expect((await list(anonymous)).total).toBe(0);
    expect((await app.request('GET', '/v2/user/invitations')).status).toBe(401);
  });
});

describe('a pending invitation', () => {
  it('is claimed by signing in with the verified e-mail address, in every organization that sent one', async () => {
    const email = newEmail();
    const second = await newOrg(app);
    await add([{ email, groups: ['sales'] }]);
    await newInvite(app, second, { email, roleSlug: 'admin' });
    const ada = await arrival(app, email.toLowerCase());
    const { organizations } = (await app.request('GET', '/v2/me', { token: ada.token })).body;
    expect(organizations).toHaveLength(2);
    expect(organizations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ slug: org.slug, roleSlug: 'member', groups: ['sales'] }),
        expect.objectContaining({ slug: second.slug, roleSlug: 'admin', groups: [] }),
      ]),
    );
    expect(await app.sql('SELECT uses FROM org_invites WHERE email = $1', [email])).toEqual([
      { uses: 1 },
      { uses: 1 },
    ]);
    expect(await events(app, second, 'orgs.invites.accepted')).toHaveLength(1);
  });

  it('is not claimed by an unverified or another address', async () => {
    const email = newEmail();
    await add([{ email }]);
    for (const arrived of [await arrival(app, email, false), await arrival(app, newEmail())]) {
      expect((await app.request('GET', '/v2/me', { token: arrived.token })).body.organizations).toEqual([]);
    }
  });

  it('is not claimed when it is revoked or expired, or when its inviter could no longer grant the role', async () => {
    const emails = [newEmail(), newEmail(), newEmail()];
    const host = await newMember(app, org, 'admin');
    const { invitations } = (
      await add(
        emails.map(email => ({ email })),
        host.token,
      )
    ).body;
    await app.request('DELETE', `${org.path}/invites/${invitations[0].id}`, { token: org.owner.token });
    await app.sql(`UPDATE org_invites SET expires_at = '2020-01-01' WHERE id = $1`, [invitations[1].id]);
    await app.request('DELETE', `${org.path}/members/${host.userId}`, { token: org.owner.token });
    for (const email of emails) {
      expect(await rolesIn(app, org)).not.toHaveProperty((await arrival(app, email)).userId);
    }
    const [{ uses }] = await app.sql('SELECT uses FROM org_invites WHERE id = $1', [invitations[2].id]);
    expect(uses).toBe(0);
  });
});

describe('the groups of a join rule', () => {
  const patch = (joinRules: object[], token = org.owner.token) =>
    app.request('PATCH', org.path, { token, body: { joinRules } });

  it('must exist, and need the permission to manage groups', async () => {
    const [domain, other] = [newDomain(), newDomain()];
    for (const each of [domain, other]) await prove(app, org, each);
    const rule = { domain, roleSlug: 'member' };
    expect((await patch([{ ...rule, groups: ['sales'] }])).body.joinRules).toEqual([
      { ...rule, groups: ['sales'], effective: true },
    ]);
    const refused = await patch([rule, { ...rule, domain: other, groups: ['marketing'] }]);
    expect([refused.status, refused.body.error]).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('marketing');
    const { token } = await newMember(app, org, { permissions: ['orgs:manage', 'collections:*'] });
    expect((await patch([{ ...rule, groups: ['sales'] }], token)).status).toBe(403);
    expect((await patch([rule], token)).status).toBe(200);
  });
});
