import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { enter } from '../orgs/org.js';
import { events, type Person, person, signIn } from './person.js';

let app: TestApp;
let owner: Person;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  owner = await signIn(app, app.bootstrap.userId);
  const made = await app.request('POST', '/v2/orgs', {
    token: owner.token,
    body: { slug: 'second', name: 'Second' },
  });
  expect(made.status).toBe(201);
});
afterAll(() => app.close());

const ROLE = { slug: 'owner', name: 'Owner', permissions: ['*'], scopes: [] };
const me = async (credential: object) => (await app.request('GET', '/v2/me', credential)).body;
const switchTo = (orgSlug: string, credential: object = { token: owner.token }) =>
  app.request('PUT', '/v2/user/active-org', { ...credential, body: { orgSlug } });

describe('GET /v2/me', () => {
  it('shows a person, their active organization and all others', async () => {
    expect(await me({ token: owner.token })).toEqual({
      id: app.bootstrap.userId,
      email: 'owner@localhost',
      firstName: null,
      lastName: null,
      status: 'active',
      orgSlugs: ['default', 'second'],
      sessionId: owner.sessionId,
      expires: expect.any(String),
      org: { slug: 'default', name: 'default', role: ROLE, groups: [], settings: {}, subscription: {} },
      permissions: ['*'],
      organizations: [
        { slug: 'default', name: 'default', roleSlug: 'owner', groups: [] },
        { slug: 'second', name: 'Second', roleSlug: 'owner', groups: [] },
      ],
    });
  });

  it('shows the same person, without a session, to an access token', async () => {
    const shown = await me({ token: app.bootstrap.accessToken });
    expect(shown).toMatchObject({ id: app.bootstrap.userId, sessionId: null, org: { slug: 'default' } });
  });

  it('shows a key as a principal, without the fields of a person', async () => {
    const shown = await me({ key: app.bootstrap.orgApiKey });
    expect(Object.keys(shown).sort()).toEqual(
      ['expires', 'org', 'organizations', 'orgSlugs', 'permissions', 'principal', 'sessionId'].sort(),
    );
    expect(shown).toMatchObject({
      principal: { type: 'key', slug: 'first-start' },
      sessionId: null,
      expires: null,
      org: { slug: 'default', role: { slug: null, permissions: ['*'] } },
    });
  });

  it('requires a credential', async () => {
    expect((await app.request('GET', '/v2/me')).status).toBe(401);
  });
});

describe('switching the active organization', () => {
  it('lasts for this session only', async () => {
    const other = await signIn(app, owner.userId);
    const switched = await signIn(app, owner.userId);
    const answer = await switchTo('second', { token: switched.token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      slug: 'second',
      name: 'Second',
      role: ROLE,
      groups: [],
      settings: {},
      subscription: {},
    });
    expect((await me({ token: switched.token })).org).toEqual(answer.body);
    expect((await me({ token: other.token })).org.slug).toBe('default');
    expect(await events(app, switched.sessionId)).toContain('sessions.updated');
  });

  it('is refused to non-members in the same way as for an organization that does not exist', async () => {
    const stranger = await person(app);
    const answers = [await switchTo('second', { token: stranger.token }), await switchTo('nowhere')];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'OrganizationMembershipRequired' } });
    }
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });

  it('is for sessions only, and requires a slug', async () => {
    expect((await switchTo('second', { token: app.bootstrap.accessToken })).status).toBe(403);
    expect((await switchTo('second', { key: app.bootstrap.orgApiKey })).status).toBe(403);
    const empty = await app.request('PUT', '/v2/user/active-org', { token: owner.token, body: {} });
    expect(empty.status).toBe(400);
  });

  it('falls back to the organization joined first after the stored one was left', async () => {
    const member = await person(app);
    for (const slug of ['default', 'second']) {
      await enter(app, { path: `/v2/orgs/${slug}`, owner }, member);
    }
    expect((await switchTo('second', { token: member.token })).status).toBe(200);
    expect((await me({ token: member.token })).org.slug).toBe('second');
    const path = `/v2/orgs/second/members/${member.userId}`;
    expect((await app.request('DELETE', path, { token: owner.token })).status).toBeLessThan(300);
    expect((await me({ token: member.token })).org.slug).toBe('default');
  });
});
