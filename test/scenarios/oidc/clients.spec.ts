import { createServer } from 'node:net';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OidcPayloads } from '../../../src/features/auth/oidc/oidc-payloads.service.js';
import { OutboundFetch } from '../../../src/platform/outbound/outbound-fetch.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock, type Person, person } from '../auth/person.js';
import { Browser } from './browser.js';
import {
  attempt,
  clientSettings,
  connect,
  OWN_CLIENTS,
  register,
  relyingParty,
  startOidcApp,
} from './client.js';

const REDIRECT = 'https://tool.example.com/cb';

let app: TestApp;
let somebody: Person;
beforeAll(async () => {
  app = await startOidcApp();
  somebody = await person(app);
});

const registered = (body: object, of = app) => of.request('POST', '/oidc/reg', { body });

describe('client registration', () => {
  it('assigns an id to a client of any name, writes an audit event, and returns a secret only on request', async () => {
    const { status, body, headers } = await registered({
      ...{ client_name: 'Tool', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      scope: 'openid collections:read',
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toMatchObject({ client_name: 'Tool', redirect_uris: [REDIRECT], application_type: 'web' });
    expect(body).not.toHaveProperty('client_secret');
    expect(body).not.toHaveProperty('registration_access_token');
    const [event] = await app.sql(`SELECT type, target, changes FROM audit_events WHERE target->>'id' = $1`, [
      body.client_id,
    ]);
    expect(event).toMatchObject({ type: 'clients.registered', target: { type: 'client', name: 'Tool' } });
    const confidential = await registered({ redirect_uris: [REDIRECT] });
    expect(confidential.body.client_secret).toMatch(/^[\w-]{64,}$/);
    const [{ dump }] = await app.sql(
      `SELECT string_agg(p::text, '') || (SELECT string_agg(a::text, '') FROM audit_events a) AS dump FROM oidc_payloads p`,
    );
    expect(dump).not.toContain(confidential.body.client_secret);
  });

  it.each<[string, string, object]>([
    ['invalid_redirect_uri', 'plain http', { redirect_uris: ['http://tool.example.com/cb'] }],
    [
      'invalid_redirect_uri',
      'another scheme',
      { redirect_uris: ['com.example.tool:/cb'], application_type: 'native' },
    ],
    [
      'invalid_redirect_uri',
      'a script',
      { redirect_uris: ['javascript:alert(1)'], application_type: 'native' },
    ],
    ['invalid_redirect_uri', 'no list', { redirect_uris: REDIRECT }],
    ['invalid_redirect_uri', 'none', {}],
    ['invalid_redirect_uri', 'a fragment', { redirect_uris: [`${REDIRECT}#x`] }],
    ['invalid_redirect_uri', 'NUL in an address', { redirect_uris: [`${REDIRECT}\0`] }],
    ['invalid_client_metadata', 'NUL in its name', { redirect_uris: [REDIRECT], client_name: 'a\0b' }],
    ['invalid_redirect_uri', 'a pattern for an address', { redirect_uris: ['https://app.example.com/*'] }],
    [
      'invalid_client_metadata',
      'a name that turns the text around',
      { redirect_uris: [REDIRECT], client_name: 'Tool\u202e' },
    ],
    [
      'invalid_client_metadata',
      'a name longer than any name',
      { redirect_uris: [REDIRECT], client_name: 'x'.repeat(201) },
    ],
    [
      'invalid_client_metadata',
      'a script for a page',
      { redirect_uris: [REDIRECT], client_uri: 'javascript:alert(1)' },
    ],
    [
      'invalid_client_metadata',
      'half a character in its name',
      { redirect_uris: [REDIRECT], client_name: 'a\ud800' },
    ],
    [
      'invalid_client_metadata',
      'the scope that covers everything',
      { redirect_uris: [REDIRECT], scope: 'platform' },
    ],
    ['invalid_client_metadata', 'another flow', { redirect_uris: [REDIRECT], response_types: ['token'] }],
    [
      'invalid_client_metadata',
      'a grant without a user',
      { redirect_uris: [REDIRECT], grant_types: ['client_credentials'] },
    ],
    [
      'invalid_client_metadata',
      'another proof',
      { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' },
    ],
  ])('returns %s for %s', async (error, _, metadata) => {
    const { status, body } = await registered(metadata);
    expect([status, body.error]).toEqual([400, error]);
  });

  it('ignores an id, a secret or a rank that a client sends', async () => {
    const { body } = await registered({
      ...{ redirect_uris: [REDIRECT], client_id: 'console', client_secret: 'mine', first_party: true },
    });
    expect(body.client_id).not.toBe('console');
    expect(body.client_secret).not.toBe('mine');
    expect(body).not.toHaveProperty('first_party');
  });

  it('exists only if it is enabled', async () => {
    const closed = await startOwnApp({ database: 'own', environment: { OIDC_DYNAMIC_REGISTRATION: 'off' } });
    const answer = await registered({ redirect_uris: [REDIRECT] }, closed);
    expect([answer.status, answer.body.error]).toEqual([404, 'NotFound']);
    expect(answer.body.message).toContain('OIDC_DYNAMIC_REGISTRATION=on');
    const { body } = await closed.request('GET', '/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('registration_endpoint');
    expect(await closed.sql(`SELECT 1 FROM oidc_payloads WHERE kind = 'Client'`)).toEqual([]);
    await closed.close();
  });

  it('is limited by source, like the other endpoints', async () => {
    const limited = await startOwnApp({
      database: 'own',
      environment: {
        ...clientSettings(),
        ...{ RATE_LIMITS: 'on', RATE_LIMIT_CLIENT_REGISTRATION: '2', RATE_LIMIT_AUTHORIZATION: '3' },
      },
    });
    const statuses = [];
    for (let n = 0; n < 3; n++)
      statuses.push((await registered({ redirect_uris: [REDIRECT] }, limited)).status);
    expect(statuses).toEqual([201, 201, 429]);
    const others = [];
    for (const path of ['/oidc/token', '/oidc/token/revocation', '/oidc/token/introspection', '/oidc/token'])
      others.push((await limited.request('POST', path)).status);
    expect(others).toEqual([400, 400, 400, 429]);
    expect((await limited.request('GET', '/oidc/auth')).status).toBe(429);
    await limited.close();
  });

  it('is deleted if the client is not used, and only then', async () => {
    const clock = new MovedClock();
    const environment = { ...clientSettings(), CONSOLE: 'off' };
    const own = await startOwnApp({ database: 'own', clock, environment });
    const [used, unused] = [await register(own, [REDIRECT]), await register(own, [REDIRECT])];
    const page = async (config: oauth.Configuration) =>
      (await new Browser(own).get((await attempt(config, { redirect_uri: REDIRECT })).url)).status;
    clock.move(60 * 86_400);
    expect(await page(used)).toBe(200);
    clock.move(60 * 86_400);
    expect(await own.nest.get(OidcPayloads).removeExpired()).toMatchObject({ clients: 1 });
    expect([await page(used), await page(unused)]).toEqual([200, 400]);
    await own.close();
  });
});

describe('a client with a metadata document', () => {
  const ID = 'https://tool.example.com/client.json';
  let asked: string[];
  let own: TestApp;
  let document: object;
  beforeAll(async () => {
    own = await startOwnApp({ database: 'own', environment: clientSettings() });
    // Replaces the only outgoing call of the process, so that the test contacts no real address.
    const fetched = async (address: string | URL) => {
      asked.push(String(address));
      return Response.json(document);
    };
    Object.assign(own.nest.get(OutboundFetch), { fetch: fetched });
  });
  afterAll(() => own?.close());

  const described = (more: object = {}) => ({
    ...{ client_id: ID, client_name: 'Self-made', redirect_uris: [REDIRECT] },
    ...{ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], ...more },
  });
  const visit = async (id: string) => {
    asked = [];
    const config = await relyingParty(own, id);
    const { url } = await attempt(config, {
      redirect_uri: REDIRECT,
      scope: 'openid collections:read platform',
    });
    return Browser.of(own, await person(own)).get(url);
  };

  it('gets the properties in its document, and is a third party', async () => {
    document = described();
    const page = await visit(ID);
    expect(asked).toEqual([ID]);
    expect(page.html).toContain('Allow Self-made to connect?');
    expect(page.html).toContain(ID);
    expect(page.html).not.toContain('Do everything');
    const config = await relyingParty(own, ID);
    const tokens = await connect(config, Browser.of(own, await person(own)), {
      ...{ redirect_uri: REDIRECT, scope: 'collections:read platform' },
    });
    expect(tokens.scope).toBe('collections:read');
    expect((await own.request('GET', '/v2/user/sessions', { token: tokens.access_token })).status).toBe(403);
  });

  it.each<[string, object]>([
    ['names another client', { client_id: 'https://other.example.com/client.json' }],
    ['sends codes over plain http', { redirect_uris: ['http://tool.example.com/cb'] }],
    ['holds a secret', { client_secret: 'x' }],
    ['proves itself with a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
  ])('is refused when its document %s', async (name, change) => {
    const id = `https://tool.example.com/${encodeURIComponent(name)}`;
    document = described({ client_id: id, ...change });
    const page = await visit(id);
    expect(page.status).toBe(400);
    expect(page.html).not.toContain('Allow ');
  });

  it.each([
    'http://tool.example.com/client.json',
    'https://user@tool.example.com/client.json',
    'https://tool.example.com/a/../client.json',
    'https://tool.example.com/client.json#x',
  ])('is refused without a request for %s', async id => {
    expect((await visit(id)).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is refused on a loopback address, and if the platform does not accept such clients', async () => {
    const connections: unknown[] = [];
    const listener = createServer(socket => connections.push(socket.destroy()));
    await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as { port: number };
    const config = await relyingParty(app, `https://127.0.0.1:${port}/client.json`);
    const page = await Browser.of(app, somebody).get((await attempt(config)).url);
    expect(page.status).toBe(400);
    expect(page.html).not.toContain('address');
    const closed = await startOwnApp({
      database: 'own',
      environment: { OIDC_CLIENT_METADATA_DOCUMENTS: 'off' },
    });
    const other = await relyingParty(closed, `https://127.0.0.1:${port}/client.json`);
    expect((await new Browser(closed).get((await attempt(other)).url)).status).toBe(400);
    const { body } = await closed.request('GET', '/oidc/.well-known/openid-configuration');
    expect(body.client_id_metadata_document_supported).toBe(false);
    expect(connections).toEqual([]);
    await closed.close();
    listener.close();
  });
});

describe("the platform's own clients in the settings", () => {
  it.each<[string, readonly object[], string]>([
    ['without an id', [{ redirect_uris: [REDIRECT] }], 'entry 1: client_id expects'],
    ['called like the platform', [{ client_id: 'platform', redirect_uris: [REDIRECT] }], 'platform'],
    ['named twice', [...OWN_CLIENTS, OWN_CLIENTS[0] as object], 'twice'],
    ['without a redirect', [{ client_id: 'x' }], 'redirect_uris'],
    ['with a redirect that is no address', [{ client_id: 'x', redirect_uris: ['nowhere'] }], 'redirect_uris'],
  ])('%s stop the start with the reason', async (_, clients, reason) => {
    const start = startOwnApp({ database: 'own', environment: clientSettings(clients) });
    await expect(start).rejects.toThrow(/OIDC_CLIENTS_FILE/);
    await expect(start).rejects.toThrow(reason);
  });
});
