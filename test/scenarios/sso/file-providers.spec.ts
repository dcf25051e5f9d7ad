import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Providers } from '../../../src/features/orgs/sso/providers.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { emptyDirectory } from '../../harness/empty-directory.js';
import { newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { run } from '../start/service.js';

const SECRET = randomBytes(24).toString('base64url');
const SLUG = newSlug();

const ENTRY = {
  slug: SLUG,
  name: 'Example',
  config: { issuer: 'https://login.example.com', client_id: 'us', client_secret: `$${'{IDP_SECRET}'}` },
};

let app: TestApp;
const directory = emptyDirectory();
beforeAll(async () => {
  app = await startOwnApp({
    environment: {
      SSO_MAX_PROVIDERS_PER_ORG: '3',
      ...(await fileOf([
        { ...ENTRY, domains: ['example.com'], orgSlug: 'not-yet-founded', defaultRole: 'member' },
        { ...ENTRY, slug: 'switched-off', enabled: false },
        { ...ENTRY, slug: 'own-address', enabled: false, ownRedirectUri: true },
        { ...ENTRY, slug: 'intranet', config: { issuer: 'http://idp.test:8443', client_id: 'us' } },
      ])),
    },
  });
});
afterAll(() => app?.close());

async function fileOf(entries: unknown) {
  const AUTH_PROVIDERS_FILE = join(directory, `${newSlug()}.json`);
  await writeFile(AUTH_PROVIDERS_FILE, JSON.stringify(entries));
  const IDP_SECRET = SECRET;
  return { AUTH_PROVIDERS_FILE, IDP_SECRET, OUTBOUND_ALLOW_INSECURE_HOSTS: 'idp.test:8443' };
}

describe('a provider of AUTH_PROVIDERS_FILE', () => {
  it('is what the file says, with environment variables filled in, and trusted like the operator', async () => {
    expect(await app.nest.get(Providers).find(SLUG)).toEqual({
      ...{ id: `file:${SLUG}`, slug: SLUG, name: 'Example', type: 'oidc', origin: 'file', enabled: true },
      config: {
        ...{ issuer: 'https://login.example.com', client_id: 'us', client_secret: SECRET },
        ...{ scopes: ['openid', 'email', 'profile'], allowTokenExchange: false },
      },
      attributesMapping: { email: 'email', firstName: 'given_name', lastName: 'family_name' },
      ...{ domains: ['example.com'], orgSlug: 'not-yet-founded', defaultRole: 'member' },
      ownRedirectUri: false,
    });
  });

  it('is listed while it is enabled, without its secret', async () => {
    const { body, text } = await app.request('GET', '/v2/login/providers');
    expect(body.providers.slice(0, 2)).toEqual([
      { slug: SLUG, name: 'Example', type: 'oidc' },
      { slug: 'intranet', name: 'Example', type: 'oidc' },
    ]);
    expect(text).not.toContain('switched-off');
    expect(await app.nest.get(Providers).find('switched-off')).toBeUndefined();
  });

  it('takes precedence over a stored one with its slug, even when it is disabled, and its slug is taken', async () => {
    const org = await newOrg(app);
    const { token } = org.owner;
    const config = { issuer: 'https://theirs.example', client_id: 'theirs' };
    const body = { slug: SLUG, name: 'Theirs', config };
    const refused = await app.request('POST', `${org.path}/auth/sso`, { token, body });
    expect([refused.status, refused.body.error]).toEqual([409, 'AlreadyExists']);
    for (const slug of [SLUG, 'switched-off']) {
      const stored = { ...body, slug: newSlug() };
      const created = await app.request('POST', `${org.path}/auth/sso`, { token, body: stored });
      // Inserted directly, like a provider that was stored before the file named its slug.
      await app.sql('INSERT INTO sso_provider_slugs VALUES ($1)', [slug]);
      await app.sql('UPDATE sso_providers SET slug = $2 WHERE id = $1', [created.body.id, slug]);
    }
    expect(await app.nest.get(Providers).find(SLUG)).toMatchObject({ origin: 'file', name: 'Example' });
    expect(await app.nest.get(Providers).find('switched-off')).toBeUndefined();
    expect((await app.request('GET', '/v2/login/providers')).text).not.toContain('Theirs');
  });
});

describe('providers of organizations', () => {
  const create = async ({ path, owner }: TestOrg, change: object = {}) => {
    const config = { issuer: 'https://theirs.example', client_id: 'theirs' };
    const body = { slug: newSlug(), name: 'Theirs', config, ...change };
    return app.request('POST', `${path}/auth/sso`, { token: owner.token, body });
  };

  it('are limited to SSO_MAX_PROVIDERS_PER_ORG each, including disabled ones and concurrent requests', async () => {
    const [org, other] = [await newOrg(app), await newOrg(app)];
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(org, { enabled: false })));
    const outcomes = answers.map(({ status, body }) => `${status} ${body.error}`).sort();
    expect(outcomes).toEqual([...Array(3).fill('201 undefined'), ...Array(5).fill('409 Conflict')]);
    const { token } = org.owner;
    const { results, total } = (await app.request('GET', `${org.path}/auth/sso`, { token })).body;
    expect([results.length, total]).toEqual([3, 3]);
    const slug = newSlug();
    const refused = await create(org, { slug });
    expect(refused.body.message).toContain('3 identity providers');
    expect((await create(other, { slug })).status).toBe(201);
    expect((await app.request('DELETE', `${org.path}/auth/sso/${results[0].slug}`, { token })).status).toBe(
      200,
    );
    expect((await create(org)).status).toBe(201);
  });

  it('are listed by the age of their organization, then by slug, after those of the file in the order of the file', async () => {
    const [org, other] = [await newOrg(app), await newOrg(app)];
    const start = newSlug();
    for (const [at, end] of [
      [org, 'c'],
      [other, 'a'],
      [org, 'b'],
    ] as const) {
      expect((await create(at, { slug: `${start}${end}` })).status).toBe(201);
    }
    const { providers } = (await app.request('GET', '/v2/login/providers')).body;
    const slugs: string[] = providers.map((each: { slug: string }) => each.slug);
    expect(slugs.slice(0, 2)).toEqual([SLUG, 'intranet']);
    expect(slugs.filter(each => each.startsWith(start))).toEqual(['b', 'c', 'a'].map(end => start + end));
  });
});

describe('an invalid AUTH_PROVIDERS_FILE', () => {
  it.each([
    [
      'without a client',
      [{ slug: 'one', name: 'One', config: { issuer: 'https://x.example' } }],
      'config.client_id',
    ],
    [
      'with a plain http issuer',
      [{ ...ENTRY, config: { issuer: 'http://x.example', client_id: 'a' } }],
      'config.issuer: expects an https URL',
    ],
    ['with a slug twice', [ENTRY, ENTRY], 'entry 2'],
    ['with a name nobody knows', [{ ...ENTRY, color: 'red' }], 'color: is not a known property'],
    [
      'with a joining owner',
      [{ ...ENTRY, defaultRole: 'owner' }],
      'defaultRole: people cannot join as owner by signing in.',
    ],
    ['that is no object', ['x'], 'entry 1'],
  ])('%s stops the start with a message that says where and why', async (_, entries, reason) => {
    const start = startOwnApp({ environment: await fileOf(entries) });
    await expect(start).rejects.toThrow('AUTH_PROVIDERS_FILE entry');
    await expect(start).rejects.toThrow(reason);
    await expect(start).rejects.not.toThrow(SECRET);
  });

  it.each([
    ['', 'providers.json is not valid JSON'],
    ['}]', 'entry 1 (one): config.issuer: expects an https URL'],
  ])(
    'is reported on the terminal, without a stack trace and without its content: %#',
    async (end, reason) => {
      const AUTH_PROVIDERS_FILE = join(directory, 'providers.json');
      const config = { issuer: 'http://login.example.com', client_id: 'us', client_secret: SECRET };
      await writeFile(
        AUTH_PROVIDERS_FILE,
        `[{"slug": "one", "name": "One", "config": ${JSON.stringify(config)}${end}`,
      );
      const DATA_DIR = join(directory, 'data');
      const settings = { DATABASE_URL: await freshDatabaseUrl(), DATA_DIR, PORT: '0', AUTH_PROVIDERS_FILE };
      const { status, output } = await run('main.js', [], settings);
      expect([status, output]).toEqual([1, expect.stringMatching(/AUTH_PROVIDERS_FILE /)]);
      expect(output).toContain(reason);
      expect(output).not.toContain(SECRET);
      expect(output).not.toMatch(/\n\s+at /);
    },
  );
});
