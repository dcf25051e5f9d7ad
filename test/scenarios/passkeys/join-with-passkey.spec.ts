import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import type { Deviation } from '../../harness/authenticator.js';
import { events, person } from '../auth/person.js';
import { arrival, newEmail, newInvite, rolesIn } from '../invites/invite.js';
import { newMember, newOrg, events as orgEvents, type TestOrg } from '../orgs/org.js';
import { Site } from './site.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const OPTIONS = '/v2/login/invitation/options';

/** Joins as a new person in a browser of their own. */
async function joinAnew(code: string, deviation: Deviation = {}, site = new Site(app)) {
  const started = await site.send('POST', OPTIONS, { code, name: 'Grace Hopper' });
  if (started.status !== 200) return { ...started, site };
  const created = site.authenticator.create(started.body, deviation);
  return { ...(await site.send('POST', '/v2/login/invitation', created)), site };
}

const usesOf = async (id: string) =>
  (await app.sql('SELECT uses FROM org_invites WHERE id = $1', [id]))[0].uses;
const users = async () => (await app.sql('SELECT count(*)::int AS n FROM users'))[0].n;

describe('joining by an invitation with a passkey', () => {
  it('creates the person, the passkey and the membership, and signs in', async () => {
    const email = newEmail();
    const { id, code } = await newInvite(app, org, { email, roleSlug: 'admin' });
    const { status, body, headers, site } = await joinAnew(code);
    expect([status, body]).toEqual([201, { userId: expect.any(String), active_org: org.slug }]);
    expect(headers.get('set-cookie')).toMatch(/^access-token=eyJ/);
    const [user] = await app.sql('SELECT * FROM users WHERE id = $1', [body.userId]);
    expect(user).toMatchObject({
      email,
      email_verified: false,
      first_name: 'Grace Hopper',
      anonymous: false,
    });
    expect((await rolesIn(app, org))[body.userId]).toBe('admin');
    expect(await usesOf(id)).toBe(1);
    expect(await events(app, body.userId)).toEqual(['users.created']);
    const [added] = (await orgEvents(app, org, 'orgs.members.added')).slice(-1);
    expect(added).toMatchObject({ target: { id: body.userId }, actor: { id: body.userId } });
    const [accepted] = (await orgEvents(app, org, 'orgs.invites.accepted')).slice(-1);
    expect(accepted).toMatchObject({ target: { id }, actor: { id: body.userId } });
    const again = await new Site(app, site.authenticator).logIn();
    expect([again.status, again.body.userId]).toEqual([200, body.userId]);
  });

  it('gives the person the address of the invitation unproven, so that it claims nothing', async () => {
    const email = newEmail();
    const other = await newOrg(app);
    await newInvite(app, other, { email });
    const { site, body } = await joinAnew((await newInvite(app, org, { email })).code);
    const open = await app.request('GET', '/v2/user/invitations', { token: site.token() as string });
    expect(open.body).toEqual({ results: [], total: 0 });
    expect((await rolesIn(app, other))[body.userId]).toBeUndefined();
  });

  it.each([true, false])(
    'answers the same when an account has the address (proven: %s), and leaves it there',
    async proven => {
      const email = newEmail();
      const holder = await arrival(app, email, proven);
      const joined = await joinAnew((await newInvite(app, org, { email })).code);
      const free = await joinAnew((await newInvite(app, org, { email: newEmail() })).code);
      const shape = { userId: expect.any(String), active_org: org.slug };
      for (const { status, body } of [joined, free]) expect([status, body]).toEqual([201, shape]);
      const found = await app.sql('SELECT id, email FROM users WHERE id = ANY ($1) ORDER BY email', [
        [holder.userId, joined.body.userId],
      ]);
      expect(found).toEqual([
        { id: holder.userId, email },
        { id: joined.body.userId, email: null },
      ]);
    },
  );

  it('leaves an invitation for the address of an account to that account, when it signs in first', async () => {
    const email = newEmail();
    const owner = await arrival(app, email);
    const { code } = await newInvite(app, org, { email });
    const joined = await Site.of(app, owner).send('POST', '/v2/login/invitation', { code });
    expect([joined.status, joined.body]).toEqual([201, { userId: owner.userId, active_org: org.slug }]);
  });

  it('answers the same 404 for every code that cannot be used, and creates nobody', async () => {
    const [expired, revoked, used] = await Promise.all([1, 2, 3].map(() => newInvite(app, org)));
    await app.sql(`UPDATE org_invites SET expires_at = now() - interval '1 s' WHERE id = $1`, [expired?.id]);
    await app.request('DELETE', `${org.path}/invites/${revoked?.id}`, { token: org.owner.token });
    await joinAnew(used?.code as string);
    const inviter = await newMember(app, org, 'admin');
    const { body: byInviter } = await app.request('POST', `${org.path}/invites`, {
      token: inviter.token,
      body: { roleSlug: 'member' },
    });
    await app.request('DELETE', `${org.path}/members/${inviter.userId}`, { token: org.owner.token });
    const gone = await newOrg(app);
    const ofGone = await newInvite(app, gone);
    await app.request('DELETE', gone.path, { token: gone.owner.token });
    const before = await users();
    const codes = ['inv_unknown', expired?.code, revoked?.code, used?.code, byInviter.code, ofGone.code];
    const answers = await Promise.all(codes.map(code => joinAnew(code as string)));
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([404, { error: 'NotFound', message: answers[0]?.body.message }]);
    }
    expect(await users()).toBe(before);
  });

  it.each<[string, (invite: { id: string }) => Promise<unknown>]>([
    ['was revoked', ({ id }) => app.sql('DELETE FROM org_invites WHERE id = $1', [id])],
    ['was used up', ({ id }) => app.sql('UPDATE org_invites SET uses = max_uses WHERE id = $1', [id])],
  ])('creates nobody when the invitation %s after the start', async (_, end) => {
    const invite = await newInvite(app, org);
    const site = new Site(app);
    const { body: options } = await site.send('POST', OPTIONS, { code: invite.code, name: 'Eve' });
    await end(invite);
    const before = await users();
    const answer = await site.send('POST', '/v2/login/invitation', site.authenticator.create(options));
    expect([answer.status, answer.body.error]).toEqual([404, 'NotFound']);
    expect(await users()).toBe(before);
    expect(
      await app.sql(`SELECT 1 FROM passkeys p LEFT JOIN users u ON u.id = p.user_id WHERE u.id IS NULL`),
    ).toEqual([]);
  });

  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'http://evil.localhost' }],
    ['without user verification', { userVerified: false }],
    ['with another challenge', { challenge: 'A'.repeat(43) }],
  ])('refuses a passkey %s, and does not use the invitation', async (_, deviation) => {
    const { id, code } = await newInvite(app, org);
    const before = await users();
    expect((await joinAnew(code, deviation)).status).toBe(400);
    expect([await usesOf(id), await users()]).toEqual([0, before]);
  });

  it('admits exactly maxUses of concurrent people', async () => {
    const { id, code } = await newInvite(app, org, { maxUses: 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => joinAnew(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 404, 404, 404, 404, 404]);
    expect(await usesOf(id)).toBe(3);
  });
});

describe('somebody who is signed in', () => {
  it('joins with the account at hand, and is told so at the start', async () => {
    const { code } = await newInvite(app, org);
    const somebody = await person(app);
    const site = Site.of(app, somebody);
    const started = await site.send('POST', OPTIONS, { code, name: 'Grace' });
    expect([started.status, started.body.error]).toEqual([409, 'Conflict']);
    const before = await users();
    const joined = await site.send('POST', '/v2/login/invitation', { code });
    expect([joined.status, joined.body.userId]).toEqual([201, somebody.userId]);
    expect((await rolesIn(app, org))[somebody.userId]).toBe('member');
    expect(await users()).toBe(before);
    expect((await site.send('POST', '/v2/login/invitation', { code })).status).toBe(409);
  });

  it('does not join by a request of another origin', async () => {
    const { id, code } = await newInvite(app, org);
    const { token } = await person(app);
    const forged = await app.request('POST', '/v2/login/invitation', {
      headers: { cookie: `access-token=${token}`, origin: 'https://evil.example' },
      body: { code },
    });
    expect([forged.status, forged.body.error]).toEqual([403, 'CsrfRefused']);
    expect(await usesOf(id)).toBe(0);
  });

  it('who is anonymous, or whose session has ended, joins as a new person', async () => {
    const anonymous = await app.request('POST', '/v2/login/anonymous', { body: {} });
    const { token } = await person(app);
    await app.request('POST', '/v2/logout', { token });
    for (const left of [anonymous.body.token, token]) {
      const { code } = await newInvite(app, org);
      expect((await joinAnew(code, {}, Site.of(app, { token: left }))).status).toBe(201);
    }
  });
});

it('gives the inviter a link to the page where people join', async () => {
  const { code, url } = (
    await app.request('POST', `${org.path}/invites`, {
      token: org.owner.token,
      body: { roleSlug: 'member' },
    })
  ).body;
  expect(url).toBe(`${app.url}/console/join?code=${code}`);
  const { body } = await app.request('GET', `${org.path}/invites`, { token: org.owner.token });
  expect(JSON.stringify(body)).not.toContain(code);
});
