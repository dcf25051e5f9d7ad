import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { events, newKey, newMember, newOrg, newSlug } from './org.js';

describe('POST /v2/orgs', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });

  it('makes the caller its owner, with an event for the organization and one for the member', async () => {
    const { token, userId } = await person(app);
    const slug = newSlug();
    const settings = { theme: 'dark' };
    const { status, body } = await app.request('POST', '/v2/orgs', {
      token,
      body: { slug, name: 'Acme', settings },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      slug,
      name: 'Acme',
      settings,
      subscription: {},
      defaultRole: 'member',
      joinRules: [],
      auth: {},
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    const members = await app.request('GET', `/v2/orgs/${slug}/members`, { token });
    expect(members.body).toMatchObject({ total: 1, results: [{ userId, roleSlug: 'owner', groups: [] }] });
    expect((await events(app, body, 'orgs.')).map(event => event.type)).toEqual([
      'orgs.created',
      'orgs.members.added',
    ]);
  });

  it('adds the organization to the caller’s list at once, in the order joined', async () => {
    const { slug, owner } = await newOrg(app);
    const second = newSlug();
    await app.request('POST', '/v2/orgs', { token: owner.token, body: { slug: second, name: 'Second' } });
    const { body } = await app.request('GET', '/v2/orgs', { token: owner.token });
    expect(body.total).toBe(2);
    expect(body.results.map((org: { slug: string }) => org.slug)).toEqual([slug, second]);
    const page = await app.request('GET', '/v2/orgs?limit=1&page=2', { token: owner.token });
    expect(page.body).toMatchObject({ total: 2, results: [{ slug: second }] });
  });

  it('refuses a slug that is in use', async () => {
    const { slug } = await newOrg(app);
    const { token } = await person(app);
    const { status, body } = await app.request('POST', '/v2/orgs', { token, body: { slug, name: 'Acme' } });
    expect([status, body.error]).toEqual([409, 'AlreadyExists']);
    expect((await app.request('GET', '/v2/orgs', { token })).body.total).toBe(0);
  });

  it.each(['a', 'A-b', '-ab', '_ab', 'a b', 'ä-b', 'a'.repeat(41), ''])('refuses the slug %j', async slug => {
    const { token } = await person(app);
    const { status, body } = await app.request('POST', '/v2/orgs', { token, body: { slug, name: 'Acme' } });
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(body.message).toContain('slug');
  });

  it('refuses keys as the caller', async () => {
    const key = await newKey(app, await newOrg(app));
    const body = { slug: newSlug(), name: 'Acme' };
    expect((await app.request('POST', '/v2/orgs', { key: key.apiKey, body })).status).toBe(403);
    expect((await app.request('POST', '/v2/orgs', { body })).status).toBe(401);
  });

  it('refuses more organizations than one person may own, also by requests at the same time', async () => {
    const limited = await startOwnApp({ database: 'own', environment: { ORG_MAX_PER_PERSON: '2' } });
    try {
      const { token } = await person(limited);
      const create = () =>
        limited.request('POST', '/v2/orgs', { token, body: { slug: newSlug(), name: 'Acme' } });
      const answers = await Promise.all([create(), create(), create(), create()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
      const { body } = await create();
      expect([body.error, body.message]).toEqual(['Conflict', expect.stringContaining('2 organizations')]);
      const [made] = answers.filter(({ status }) => status === 201);
      await limited.request('DELETE', `/v2/orgs/${made?.body.slug}`, { token });
      expect((await create()).status).toBe(201);
    } finally {
      await limited.close();
    }
  });

  it('is limited per caller and minute', async () => {
    const environment = { RATE_LIMITS: 'on', RATE_LIMIT_ORGS: '2' };
    const limited = await startOwnApp({ database: 'own', environment });
    try {
      const [one, other] = [await person(limited), await person(limited)];
      const create = async ({ token }: Person) =>
        (await limited.request('POST', '/v2/orgs', { token, body: { slug: newSlug(), name: 'Acme' } }))
          .status;
      expect([await create(one), await create(one), await create(one)]).toEqual([201, 201, 429]);
      expect(await create(other)).toBe(201);
    } finally {
      await limited.close();
    }
  });

  it('follows ORG_CREATION', async () => {
    const found = async (other: TestApp, token: string) =>
      (await other.request('POST', '/v2/orgs', { token, body: { slug: newSlug(), name: 'Acme' } })).status;
    const url = app.settings.DATABASE_URL as string;
    const admins = await startOwnApp({ database: { url }, environment: { ORG_CREATION: 'admins' } });
    const off = await startOwnApp({ database: { url }, environment: { ORG_CREATION: 'off' } });
    try {
      const org = await newOrg(app);
      const member = await newMember(app, org);
      const tokens = await accessTokens(app, [org.owner.token, member.token]);
      expect(await found(admins, tokens[0] as string)).toBe(201);
      expect(await found(admins, tokens[1] as string)).toBe(403);
      expect(await found(off, tokens[0] as string)).toBe(403);
    } finally {
      await Promise.all([admins.close(), off.close()]);
    }
  });
});

/** Access tokens, because a JWT is not valid at an instance with another PUBLIC_URL. */
async function accessTokens(app: TestApp, tokens: string[]): Promise<string[]> {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return Promise.all(
    tokens.map(async token => {
      const body = { name: 'test', expiresAt };
      return (await app.request('POST', '/v2/user/accessTokens', { token, body })).body.token;
    }),
  );
}
