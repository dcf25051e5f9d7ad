import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../../src/features/auth/keys/master-keys.service.js';
import { Providers } from '../../../src/features/orgs/sso/providers.service.js';
import { Secrets } from '../../../src/platform/config/secrets.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { events, newDomain, newKey, newMember, newOrg, newSlug, prove, type TestOrg } from '../orgs/org.js';

const MANAGE = 'orgs:sso:manage';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const all = (of = org) => `${of.path}/auth/sso`;
const asOwner = (method: string, path: string, body?: object, of = org) =>
  app.request(method, path, { token: of.owner.token, body });
const newSecret = () => randomBytes(24).toString('base64url');

function described(change: object = {}, config: object = {}) {
  return {
    slug: newSlug(),
    name: 'Acme staff',
    config: { issuer: 'https://login.example.com/realms/acme', client_id: 'collections', ...config },
    ...change,
  };
}

async function newProvider(change: object = {}, config: object = {}, of = org) {
  const body = described(change, config);
  const created = await asOwner('POST', all(of), body, of);
  if (created.status !== 201) throw new Error(created.text);
  return { ...created.body, path: `${all(of)}/${body.slug}` };
}

const find = (slug: string) => app.nest.get(Providers).find(slug);

describe('POST /v2/orgs/{orgSlug}/auth/sso', () => {
  it('stores the sent fields, and defaults for the others', async () => {
    const body = described();
    const created = await asOwner('POST', all(), body);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...{ id: expect.any(String), slug: body.slug, name: 'Acme staff', type: 'oidc', enabled: true },
      config: {
        ...body.config,
        hasClientSecret: false,
        scopes: ['openid', 'email', 'profile'],
        allowTokenExchange: false,
      },
      attributesMapping: { email: 'email', firstName: 'given_name', lastName: 'family_name' },
      ...{ domains: [], orgSlug: org.slug },
      redirectUri: `${app.settings.PUBLIC_URL}/v2/login/callback/${body.slug}`,
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
    expect((await asOwner('GET', `${all()}/${body.slug}`)).body).toEqual(created.body);
    const list = await asOwner('GET', `${all()}?limit=100`);
    expect(list.body.results).toContainEqual(created.body);
    expect(list.body.total).toBe(list.body.results.length);
  });

  it('stores every field of a provider, and uses it for sign-in', async () => {
    const config = {
      authorization_endpoint: 'https://login.example.com/auth',
      token_endpoint: 'https://login.example.com/token',
      jwks_uri: 'https://keys.example.com/jwks?set=1',
      scopes: ['openid', 'groups'],
      allowTokenExchange: true,
    };
    const more = {
      ...{ type: 'oidc', icon: 'https://example.com/icon.svg', domains: ['example.com'], enabled: true },
      ...{ attributesMapping: { firstName: 'vorname' }, defaultRole: 'member', orgSlug: org.slug },
    };
    const client_secret = newSecret();
    const { path, createdAt, updatedAt, ...shown } = await newProvider(more, { ...config, client_secret });
    expect(shown).toMatchObject({ ...more, config: { ...config, hasClientSecret: true } });
    const { redirectUri, ...fields } = shown;
    const { hasClientSecret, ...stored } = shown.config;
    expect(await find(shown.slug)).toEqual({
      ...{ ...fields, origin: 'org', orgId: org.id, ownRedirectUri: true },
      config: { ...stored, client_secret },
      attributesMapping: { email: 'email', firstName: 'vorname', lastName: 'family_name' },
    });
  });

  it.each([
    [['email'], ['openid', 'email']],
    ['email openid', ['openid', 'email']],
    [
      ['groups', 'openid', 'groups'],
      ['openid', 'groups'],
    ],
  ])('requests the scopes %j, and always openid', async (scopes, asked) => {
    const { config } = await newProvider({}, { scopes });
    expect(config.scopes).toEqual(asked);
  });

  it('accepts null for an absent field', async () => {
    const nothing = { icon: null, defaultRole: null, orgSlug: null };
    const none = { client_secret: null, authorization_endpoint: null, token_endpoint: null, jwks_uri: null };
    const { path, ...shown } = await newProvider(nothing, none);
    const { path: _, ...plain } = await newProvider();
    expect(Object.keys(shown)).toEqual(Object.keys(plain));
    expect(Object.keys(shown.config)).toEqual(Object.keys(plain.config));
  });

  it('never shows the secret in a response, in the audit log or in the row', async () => {
    const secrets = [newSecret(), newSecret()];
    const { path, slug, id } = await newProvider({}, { client_secret: secrets[0] });
    const body = described({ slug }, { client_secret: secrets[1] });
    const replaced = await asOwner('PUT', path, body);
    expect([replaced.status, replaced.body.config.hasClientSecret]).toEqual([200, true]);
    const [row] = await app.sql('SELECT * FROM sso_providers WHERE id = $1', [id]);
    const logged = (await events(app, org, 'orgs.ssoproviders.')).filter(({ target }) => target.id === id);
    expect(logged.map(({ type }) => type)).toEqual([
      'orgs.ssoproviders.created',
      'orgs.ssoproviders.replaced',
    ]);
    expect(logged[1]?.changes.after).toMatchObject({
      config: { hasClientSecret: true },
      secretReplaced: true,
    });
    const long = await asOwner(
      'PUT',
      path,
      described({ slug }, { client_secret: `${secrets[0]}`.repeat(40) }),
    );
    expect(long.status).toBe(400);
    const places = [replaced, await asOwner('GET', path), await asOwner('GET', all()), row, logged, long];
    for (const secret of secrets) expect(JSON.stringify(places)).not.toContain(secret);
    expect(app.nest.get(Secrets).decrypt(row.sealed_secret, `sso-provider:${id}`)).toBe(secrets[1]);
    // The column as the re-encryption after a change of the master key reads it.
    const { associated } = SEALED_COLUMNS.find(({ table }) => table === 'sso_providers') ?? {};
    const [sealedFor] = await app.sql(`SELECT ${associated} AS id FROM sso_providers WHERE id = $1`, [id]);
    expect(sealedFor.id).toBe(`sso-provider:${id}`);
    // Encrypted for its own row: it cannot be decrypted in another one.
    const other = await newProvider();
    await app.sql('UPDATE sso_providers SET sealed_secret = $2 WHERE id = $1', [other.id, row.sealed_secret]);
    await expect(find(other.slug)).rejects.toThrow();
    await asOwner('DELETE', other.path);
  });

  it('refuses a slug that was ever used on the platform, even when the provider or its organization is deleted', async () => {
    const doomed = await newOrg(app);
    const [{ slug, path }, lost] = [await newProvider(), await newProvider({}, {}, doomed)];
    const refused = async (of: TestOrg, taken: string) => {
      const { status, body } = await asOwner('POST', all(of), described({ slug: taken }), of);
      expect([status, body.error]).toEqual([409, 'AlreadyExists']);
    };
    await refused(org, slug);
    await refused(doomed, slug);
    expect((await asOwner('DELETE', path)).body).toEqual({ success: true });
    await refused(org, slug);
    await asOwner('DELETE', doomed.path, undefined, doomed);
    await refused(org, lost.slug);
    expect(await find(slug)).toBeUndefined();
    expect(await find(lost.slug)).toBeUndefined();
    expect(await app.sql('SELECT 1 FROM sso_providers WHERE id = $1', [lost.id])).toEqual([]);
  });

  it.each([
    ['slug', { slug: 'Upper' }, {}],
    ['slug', { slug: undefined }, {}],
    ['name', { name: '' }, {}],
    ['type', { type: 'saml' }, {}],
    ['icon', { icon: 'javascript:alert(1)' }, {}],
    ['icon', { icon: 'http://example.com/icon.svg' }, {}],
    ['config', { config: undefined }, {}],
    ['config', { config: [] }, {}],
    ['config.issuer', {}, { issuer: undefined }],
    ['config.issuer', {}, { issuer: 'http://login.example.com' }],
    ['config.issuer', {}, { issuer: 'login.example.com' }],
    ['config.issuer', {}, { issuer: 'https://ada:secret@login.example.com' }],
    ['config.issuer', {}, { issuer: 'https://login.example.com/?a=b' }],
    ['config.issuer', {}, { issuer: 'https://login.example.com/#a' }],
    ['config.issuer', {}, { issuer: 'https://127.0.0.1' }],
    ['config.issuer', {}, { issuer: 'https://[::ffff:169.254.169.254]' }],
    ['config.client_id', {}, { client_id: '' }],
    ['config.client_secret', {}, { client_secret: '' }],
    ['config.client_secret', {}, { client_secret: 7 }],
    ['config.authorization_endpoint', {}, { authorization_endpoint: 'http://login.example.com/auth' }],
    ['config.token_endpoint', {}, { token_endpoint: 'https://10.0.0.1/token' }],
    ['config.jwks_uri', {}, { jwks_uri: 'file:///etc/passwd' }],
    ['config.jwks_uri', {}, { jwks_uri: 'https://login.example.com/jwks#a' }],
    ['config.scopes', {}, { scopes: [] }],
    ['config.scopes', {}, { scopes: ['email profile'] }],
    ['config.scopes', {}, { scopes: '' }],
    ['config.scopes', {}, { scopes: ['email', 7.5, {}] }],
    ['config.scopes', {}, { scopes: 'email  profile' }],
    ['config.scopes', {}, { scopes: ['"'] }],
    ['config.scopes', {}, { scopes: { openid: true } }],
    ['config.allowTokenExchange', {}, { allowTokenExchange: 'true' }],
    ['config.hasClientSecret', {}, { hasClientSecret: true }],
    ['attributesMapping.sub', { attributesMapping: { sub: 'email' } }, {}],
    ['attributesMapping.email', { attributesMapping: { email: '' } }, {}],
    ['domains', { domains: ['Example.com'] }, {}],
    ['domains', { domains: ['example.'] }, {}],
    ['domains', { domains: ['@example.com'] }, {}],
    ['enabled', { enabled: 'yes' }, {}],
    ['ownRedirectUri', { ownRedirectUri: false }, {}],
    ['orgSlug', { orgSlug: 'another' }, {}],
    ['defaultRole', { defaultRole: 'owner' }, {}],
    ['defaultRole', { defaultRole: 'admin' }, {}],
    ['id', { id: 'file:google' }, {}],
    ['origin', { origin: 'file' }, {}],
  ])('refuses an invalid %s: %j %j', async (field, change, config) => {
    const { status, body } = await asOwner('POST', all(), described(change, config));
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(body.message.startsWith(`${field}:`) || body.message.includes(` ${field}:`)).toBe(true);
  });

  it('refuses a role that the organization does not have', async () => {
    const { status, body } = await asOwner('POST', all(), described({ defaultRole: 'nobody' }));
    expect([status, body.message]).toEqual([400, 'The organization has no role with the slug nobody.']);
  });
});

describe('PUT /v2/orgs/{orgSlug}/auth/sso/{slug}', () => {
  it('replaces absent fields by their defaults, and keeps the secret', async () => {
    const client_secret = newSecret();
    const before = await newProvider({ domains: ['example.com'], enabled: false }, { client_secret });
    expect(await find(before.slug)).toBeUndefined();
    const { slug, ...body } = described({ name: 'Renamed' });
    const { status, body: after } = await asOwner('PUT', before.path, body);
    expect(status).toBe(200);
    const { path, ...shown } = before;
    const renamed = { name: 'Renamed', domains: [], enabled: true, updatedAt: expect.any(String) };
    expect(after).toEqual({ ...shown, ...renamed });
    expect((await find(before.slug))?.config.client_secret).toBe(client_secret);
    expect((await asOwner('PUT', path, described({ slug: newSlug() }))).status).toBe(400);
    expect((await asOwner('PUT', path, { name: 'Only that' })).status).toBe(400);
  });

  it.each([
    { issuer: 'https://mine.example' },
    { client_id: 'mine' },
    { token_endpoint: 'https://mine.example/token' },
  ])('requires the secret again for a change that would send it to another server: %j', async change => {
    const client_secret = newSecret();
    const { path, slug } = await newProvider({}, { client_secret });
    const refused = await asOwner('PUT', path, described({ slug }, change));
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('client_secret')]);
    expect(await find(slug)).toMatchObject({ config: { client_secret, issuer: described().config.issuer } });
    const cleared = await asOwner('PUT', path, described({ slug }, { ...change, client_secret: null }));
    expect([cleared.status, cleared.body.config.hasClientSecret]).toEqual([200, false]);
    expect((await find(slug))?.config).not.toHaveProperty('client_secret');
    const sent = described({ slug }, { client_secret });
    expect((await asOwner('PUT', path, sent)).body.config.hasClientSecret).toBe(true);
  });

  it.each([
    ['keeps the shared redirect URI, which is registered at the provider', {}, {}, ''],
    ['gets a redirect URI of its own as another client', {}, { client_id: 'other' }, '/{slug}'],
    ['gets one at another issuer', {}, { issuer: 'https://other.example.com' }, '/{slug}'],
    [
      'gets one with another page to sign in',
      {},
      { authorization_endpoint: 'https://other.example.com' },
      '/{slug}',
    ],
    ['gets one on request', { ownRedirectUri: true }, {}, '/{slug}'],
  ])('of a provider from before redirect URIs of their own: %s', async (_, change, config, end) => {
    const { path, slug, id } = await newProvider();
    await app.sql('UPDATE sso_providers SET own_redirect_uri = false WHERE id = $1', [id]);
    const uri = `${app.settings.PUBLIC_URL}/v2/login/callback${end.replace('{slug}', slug)}`;
    const replaced = await asOwner('PUT', path, described({ slug, ...change }, config));
    expect([replaced.status, replaced.body.redirectUri]).toEqual([200, uri]);
    expect((await asOwner('GET', path)).body.redirectUri).toBe(uri);
    const back = await asOwner('PUT', path, described({ slug, ownRedirectUri: false }, config));
    expect(back.status).toBe(end === '' ? 200 : 400);
    await asOwner('DELETE', path);
  });
});

describe('a manager of identity providers', () => {
  it('needs the permission', async () => {
    const { path } = await newProvider();
    const member = await newMember(app, org, { permissions: ['orgs:manage', 'orgs:members:manage'] });
    const stranger = await person(app);
    for (const [method, where] of [
      ...[['GET', all()] as const, ['POST', all()] as const],
      ...(['GET', 'PUT', 'DELETE'] as const).map(each => [each, path] as const),
    ]) {
      const sent = (token?: string) =>
        app.request(method, where, { token, body: method === 'GET' ? undefined : {} });
      const codes = [await sent(member.token), await sent(stranger.token), await sent()].map(
        ({ body }) => body.error,
      );
      expect(codes).toEqual(['Forbidden', 'OrganizationMembershipRequired', 'Unauthorized']);
    }
    const permissions = [MANAGE, 'collections:*'];
    const { token } = await newMember(app, org, { permissions });
    const { apiKey } = await newKey(app, org, { permissions });
    expect((await app.request('POST', all(), { token, body: described() })).status).toBe(201);
    expect((await app.request('POST', all(), { key: apiKey, body: described() })).status).toBe(201);
    expect((await app.request('GET', path, { key: apiKey })).status).toBe(200);
  });

  it('can let people join only with a role they could grant, even when replacing another manager’s provider', async () => {
    const role = { slug: newSlug(), name: 'Strong', permissions: ['orgs:members:manage'] };
    await asOwner('POST', `${org.path}/roles`, role);
    const { path, slug } = await newProvider({ defaultRole: role.slug });
    const { token } = await newMember(app, org, { permissions: [MANAGE, 'collections:*'] });
    const sent = async (method: string, where: string, body: object) =>
      (await app.request(method, where, { token, body })).status;
    expect(await sent('POST', all(), described({ defaultRole: role.slug }))).toBe(403);
    const taken = described({ slug, defaultRole: role.slug }, { issuer: 'https://mine.example' });
    expect(await sent('PUT', path, taken)).toBe(403);
    expect((await find(slug))?.config.issuer).toBe(described().config.issuer);
    expect(await sent('PUT', path, described({ slug }))).toBe(200);
  });

  it('must be able to grant the organization’s default role when a provider names none or a PUT removes it', async () => {
    const own = await newOrg(app);
    const asOwner = (method: string, path: string, body?: object) =>
      app.request(method, path, { token: own.owner.token, body });
    const role = { slug: newSlug(), name: 'Weak', permissions: [] };
    await asOwner('POST', `${own.path}/roles`, role);
    const { token } = await newMember(app, own, { permissions: [MANAGE] });
    const sent = async (method: string, where: string, body: object) =>
      (await app.request(method, where, { token, body })).status;
    expect(await sent('POST', all(own), described())).toBe(403);
    const weak = described({ defaultRole: role.slug });
    expect(await sent('POST', all(own), weak)).toBe(201);
    const path = `${all(own)}/${weak.slug}`;
    expect(await sent('PUT', path, described({ slug: weak.slug }))).toBe(403);
    expect(await sent('PUT', path, described({ slug: weak.slug, defaultRole: null }))).toBe(403);
    expect((await asOwner('GET', path)).body.defaultRole).toBe(role.slug);
    await asOwner('PATCH', own.path, { defaultRole: role.slug });
    expect(await sent('PUT', path, described({ slug: weak.slug }))).toBe(200);
  });

  it('must be able to grant the roles of join rules, which apply to people who sign in', async () => {
    const own = await newOrg(app);
    const asOwner = (method: string, path: string, body?: object) =>
      app.request(method, path, { token: own.owner.token, body });
    const weak = { slug: newSlug(), name: 'Weak', permissions: [] };
    await asOwner('POST', `${own.path}/roles`, weak);
    const domain = newDomain();
    await prove(app, own, domain);
    await asOwner('PATCH', own.path, { joinRules: [{ domain, roleSlug: 'member' }] });
    const { token } = await newMember(app, own, { permissions: [MANAGE] });
    const body = described({ defaultRole: weak.slug });
    expect((await app.request('POST', all(own), { token, body })).status).toBe(403);
    await asOwner('PATCH', own.path, { joinRules: [] });
    expect((await app.request('POST', all(own), { token, body })).status).toBe(201);
  });

  it('cannot delete the role that people join with', async () => {
    const role = { slug: newSlug(), name: 'Used', permissions: [] };
    await asOwner('POST', `${org.path}/roles`, role);
    const { path } = await newProvider({ defaultRole: role.slug });
    expect((await asOwner('DELETE', `${org.path}/roles/${role.slug}`)).status).toBe(409);
    await asOwner('DELETE', path);
    expect((await asOwner('DELETE', `${org.path}/roles/${role.slug}`)).status).toBe(200);
  });

  it('reaches only the providers of the organization', async () => {
    const { slug } = await newProvider();
    const other = await newOrg(app);
    for (const [method, body] of [['GET'], ['PUT', described({ slug })], ['DELETE']] as const) {
      const { status, body: answer } = await asOwner(method, `${all(other)}/${slug}`, body, other);
      expect([status, answer.error]).toEqual([404, 'NotFound']);
    }
    expect((await asOwner('GET', all(other), undefined, other)).body).toEqual({ results: [], total: 0 });
    expect(await find(slug)).toBeDefined();
  });

  it('records an event for each change', async () => {
    const { path, id, slug } = await newProvider();
    await asOwner('PUT', path, described({ slug, name: 'Renamed' }));
    await asOwner('DELETE', path);
    expect((await asOwner('DELETE', path)).status).toBe(404);
    const logged = (await events(app, org, 'orgs.ssoproviders.')).filter(({ target }) => target.id === id);
    expect(logged.map(({ type, changes }) => [type, changes.before?.name, changes.after?.name])).toEqual([
      ['orgs.ssoproviders.created', undefined, 'Acme staff'],
      ['orgs.ssoproviders.replaced', 'Acme staff', 'Renamed'],
      ['orgs.ssoproviders.deleted', 'Renamed', undefined],
    ]);
    expect(logged[0]).toMatchObject({
      target: { type: 'sso-provider', name: slug },
      actor: { type: 'user', id: org.owner.userId },
    });
  });
});

describe('GET /v2/login/providers', () => {
  const listed = async () => (await app.request('GET', '/v2/login/providers')).body;

  it('shows everybody the enabled providers, with no more than a sign-in page needs', async () => {
    const plain = await newProvider();
    const pretty = await newProvider({ icon: 'https://example.com/i.svg' }, { client_secret: newSecret() });
    const disabled = await newProvider({ enabled: false });
    const { anonymous, providers } = await listed();
    expect(anonymous).toBe(true);
    expect(providers).toContainEqual({ slug: plain.slug, name: 'Acme staff', type: 'oidc' });
    const icon = 'https://example.com/i.svg';
    expect(providers).toContainEqual({ slug: pretty.slug, name: 'Acme staff', type: 'oidc', icon });
    expect(JSON.stringify(providers)).not.toContain(disabled.slug);
    await asOwner('DELETE', plain.path);
    expect(JSON.stringify(await listed())).not.toContain(plain.slug);
  });
});
