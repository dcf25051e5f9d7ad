import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecoveryLinks } from '../../../src/features/auth/recovery/recovery-links.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock, type Person, person } from '../auth/person.js';
import { join, newInvite } from '../invites/invite.js';
import { events, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newJoiner, Site } from './site.js';

const clock = new MovedClock();
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startOwnApp({ clock, database: 'own' });
  org = await newOrg(app);
});
afterAll(() => app.close());

const create = (by: Pick<Person, 'token'>, { userId }: Pick<Person, 'userId'>, { path } = org) =>
  app.request('POST', `${path}/members/${userId}/recovery-link`, { token: by.token });

async function linkFor(member: Person, by: Pick<Person, 'token'> = org.owner): Promise<string> {
  const { status, body, text } = await create(by, member);
  if (status !== 201) throw new Error(`there is no link: ${text}`);
  return new URL(body.url).searchParams.get('code') as string;
}

async function joinAnother(member: Person): Promise<void> {
  const { code } = await newInvite(app, await newOrg(app));
  expect((await join(app, member, code)).status).toBe(201);
}

/** The id of a new agent of the organization. */
async function newAgent(): Promise<string> {
  const body = { slug: newSlug(), name: 'Importer' };
  return (await app.request('POST', `${org.path}/agents`, { token: org.owner.token, body })).body.id;
}

/** Presses the button on the page of a link. */
async function use(code: string, site = new Site(app)) {
  return { ...(await site.press('/v2/login/recovery', { code })), site };
}

describe('a recovery link', () => {
  it('signs the member in once, ends all other sessions, and is in the log of the organization', async () => {
    const member = await newJoiner(app, org);
    const before = clock.now().getTime();
    const { status, body } = await create(org.owner, member);
    expect([status, body.url]).toEqual([
      201,
      expect.stringMatching(new RegExp(`^${app.url}/v2/login/recovery\\?code=[\\w-]{43}$`)),
    ]);
    const hours = (Date.parse(body.expires_at) - before) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const code = new URL(body.url).searchParams.get('code') as string;
    const { status: used, headers, site } = await use(code);
    expect([used, headers.get('location')]).toEqual([303, '/']);
    const me = await app.request('GET', '/v2/me', { token: site.token() as string });
    expect(me.body).toMatchObject({ id: member.userId, org: { slug: org.slug } });
    expect((await app.request('GET', '/v2/me', { token: member.token })).status).toBe(401);
    expect((await use(code)).status).toBe(401);
    for (const [act, actor] of [
      ['created', org.owner.userId],
      ['used', member.userId],
    ]) {
      const [event] = (await events(app, org, `orgs.recoverylinks.${act}`)).slice(-1);
      expect(event).toMatchObject({ target: { id: member.userId }, actor: { id: actor } });
      expect(JSON.stringify(event)).not.toContain(code);
    }
    expect((await site.register()).status).toBe(201);
  });

  it('is not used up by programs that open it: it shows a page with a button', async () => {
    const code = await linkFor(await newJoiner(app, org));
    for (const method of ['GET', 'HEAD']) {
      const answer = await app.request(method, `/v2/login/recovery?code=${code}`);
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
      if (method === 'GET') expect(answer.text).toContain(`value="${code}"`);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await use(code)).status).toBe(303);
  });

  it('cannot be used from a page of another site', async () => {
    const code = await linkFor(await newJoiner(app, org));
    const forged = await app.request('POST', '/v2/login/recovery', {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: { code },
    });
    expect([forged.status, forged.body.error]).toEqual([403, 'CsrfRefused']);
    expect((await use(code)).status).toBe(303);
  });

  it('works for one of several at the same moment, and only the newest of a member works', async () => {
    const member = await newJoiner(app, org);
    const first = await linkFor(member);
    const second = await linkFor(member);
    expect((await use(first)).status).toBe(401);
    const answers = await Promise.all([1, 2, 3, 4].map(() => use(second)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
  });

  it('ends after 24 hours, and a job removes it', async () => {
    const code = await linkFor(await newJoiner(app, org));
    clock.move(86_400);
    expect((await use(code)).status).toBe(401);
    clock.move(1);
    expect(await app.nest.get(RecoveryLinks).removeExpired()).toBeGreaterThan(0);
    expect(await app.sql('SELECT 1 FROM recovery_links WHERE expires_at < $1', [clock.now()])).toEqual([]);
  });

  it.each<[string, (member: Person, admin: Person) => Promise<unknown>]>([
    ['the member joined another organization', member => joinAnother(member)],
    [
      'the member left',
      member => app.request('DELETE', `${org.path}/members/${member.userId}`, { token: member.token }),
    ],
    [
      'the member is disabled',
      member => app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [member.userId]),
    ],
    [
      'the person who made it left',
      (_, admin) => app.request('DELETE', `${org.path}/members/${admin.userId}`, { token: org.owner.token }),
    ],
    [
      'the person who made it may not manage members any more',
      (_, admin) =>
        app.request('PATCH', `${org.path}/members/${admin.userId}`, {
          token: org.owner.token,
          body: { roleSlug: 'member' },
        }),
    ],
    [
      'the member became an owner',
      member =>
        app.request('PATCH', `${org.path}/members/${member.userId}`, {
          token: org.owner.token,
          body: { roleSlug: 'owner' },
        }),
    ],
  ])('does not work when %s', async (_, change) => {
    const admin = await newMember(app, org, 'admin');
    const member = await newJoiner(app, org);
    const code = await linkFor(member, admin);
    await change(member, admin);
    expect((await use(code)).status).toBe(401);
  });
});

describe('creating a recovery link', () => {
  it('is refused for a person who belongs to another organization too', async () => {
    const member = await newJoiner(app, org);
    await joinAnother(member);
    expect((await create(org.owner, member)).status).toBe(403);
  });

  it('is refused for an owner, unless an owner in person asks', async () => {
    const owner = await newJoiner(app, org, 'owner');
    const admin = await newMember(app, org, 'admin');
    expect((await create(admin, owner)).status).toBe(403);
    expect((await create(org.owner, owner)).status).toBe(201);
  });

  it('is refused for a member with rights that the caller does not have', async () => {
    const manager = await newMember(app, org, { permissions: ['orgs:members:manage'] });
    const admin = await newJoiner(app, org, 'admin');
    expect((await create(manager, admin)).status).toBe(403);
  });

  it('is refused without the permission, for oneself, and for somebody who is no member', async () => {
    const member = await newJoiner(app, org);
    const other = await newMember(app, org);
    const refused = [
      await create(other, member),
      await create(await person(app), member),
      await create(org.owner, org.owner),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    for (const userId of [(await person(app)).userId, 'nobody']) {
      expect((await create(org.owner, { userId })).status).toBe(404);
    }
  });

  it('is refused for oneself also to a person who acts for an agent', async () => {
    const admin = await newJoiner(app, org, 'admin');
    const path = `${org.path}/members/${admin.userId}/recovery-link`;
    const headers = { 'x-platform-agent-id': await newAgent() };
    expect((await app.request('POST', path, { token: admin.token, headers })).status).toBe(403);
  });

  it('changes nothing for the member before the link is used', async () => {
    const member = await newJoiner(app, org);
    await linkFor(member);
    expect((await app.request('GET', '/v2/me', { token: member.token })).status).toBe(200);
  });
});
