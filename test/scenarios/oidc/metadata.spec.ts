import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationServer } from '../../../src/features/auth/oidc/authorization-server.service.js';
import type { TestApp } from '../../harness/app.js';
import { newCollection, newHome } from '../../harness/collection.js';
import { startOidcApp } from './client.js';

const RANDOM = '0192f0c1-2f5e-7b3a-9c4d-5e6f7a8b9c0d';

/** A metadata document with each list in alphabetical order. */
const sorted = (document: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]),
  );

let app: TestApp;
beforeAll(async () => {
  app = await startOidcApp();
});

describe('the authorization server’s metadata', () => {
  it('is the same at all its addresses, for pages of every origin', async () => {
    const paths = [
      '/oidc/.well-known/openid-configuration',
      '/.well-known/openid-configuration/oidc',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/oidc',
    ];
    const answers = await Promise.all(paths.map(path => app.request('GET', path)));
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([200, answers[0]?.body]);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('equals the metadata of oidc-provider, apart from named differences', async () => {
    const callback = (await app.nest.get(AuthorizationServer).provider()).callback();
    const server = createServer((request, response) => {
      Object.assign(request, { originalUrl: `/oidc${request.url}` });
      callback(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-host': new URL(app.url).host },
    }).finally(() => server.close());
    const published = sorted((await answer.json()) as object);
    const {
      claim_types_supported: _defaultOfTheStandard,
      claims_parameter_supported: _falseByDefault,
      ...shared
    } = published;
    const { body } = await app.request('GET', '/oidc/.well-known/openid-configuration');
    const clientAuthentication = published.token_endpoint_auth_methods_supported;
    expect(sorted(body)).toEqual({
      ...shared,
      // No id_token has the claim `sid`. The scope `platform` belongs to the resource server.
      claims_supported: (published.claims_supported as string[]).filter(claim => claim !== 'sid'),
      scopes_supported: [...(published.scopes_supported as string[]), 'platform'].toSorted(),
      // Fields that oidc-provider does not publish.
      introspection_endpoint_auth_methods_supported: clientAuthentication,
      revocation_endpoint_auth_methods_supported: clientAuthentication,
      protected_resources: [app.url, `${app.url}/v1/mcp`],
      request_parameter_supported: false,
    });
  });

  it('contains only addresses that are served', async () => {
    const { body } = await app.request('GET', '/oidc/.well-known/openid-configuration');
    const addresses = Object.entries<string>(body).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(addresses).toHaveLength(8);
    for (const [name, address] of addresses) {
      const byForm = /token|revocation|introspection|registration/.test(name);
      const { status } = await fetch(address, { method: byForm ? 'POST' : 'GET', redirect: 'manual' });
      expect([name, status]).not.toEqual([name, 404]);
      expect([name, status]).not.toEqual([name, 405]);
    }
  });

  it('is sufficient for an external client, by either standard', async () => {
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      const config = await oauth.discovery(new URL(`${app.url}/oidc`), 'x', {}, oauth.None(), {
        ...{ algorithm, execute: [oauth.allowInsecureRequests] },
      });
      expect(config.serverMetadata().supportsPKCE()).toBe(true);
    }
  });

  it.each([
    ['/oidc/token', 'POST'],
    ['/oidc/token/revocation', 'POST'],
    ['/oidc/token/introspection', 'POST'],
    ['/oidc/reg', 'POST'],
    ['/oidc/jwks', 'GET'],
    ['/.well-known/oauth-protected-resource/v1/mcp', 'GET'],
  ])('allows pages of other origins a preflight before they call %s', async (path, method) => {
    const headers = { origin: 'https://inspector.example.com', 'access-control-request-method': method };
    const answer = await app.request('OPTIONS', path, { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toBe(method);
    expect(answer.headers.get('access-control-allow-headers')).toContain('Content-Type');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('allows them to read answers of the token endpoint, including refusals', async () => {
    const answer = await app.request('POST', '/oidc/token', {
      raw: 'grant_type=authorization_code&code=x&client_id=console',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://inspector.example.com',
      },
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('the metadata documents of protected resources', () => {
  const scopes = ['collections:read', 'collections:write', 'collections:manage'];

  it.each(['', '/v1', '/v1/mcp', `/v1/collections/${RANDOM}/mcp`])(
    'tell who issues tokens for "%s"',
    async path => {
      const { status, body, headers } = await app.request(
        'GET',
        `/.well-known/oauth-protected-resource${path}`,
      );
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(body).toMatchObject({
        resource: `${app.url}${path}`,
        authorization_servers: [`${app.url}/oidc`],
        bearer_methods_supported: ['header'],
        scopes_supported: path.includes('collections') ? scopes : [...scopes, 'collections:create'],
      });
    },
  );

  it.each([
    '/v2',
    '/v1/',
    '/v1/collections',
    `/v1/collections/${RANDOM}`,
    '/v1/collections/x/mcp',
    '/v1/mcp/x',
  ])('do not exist for "%s"', async path => {
    const { status, body } = await app.request('GET', `/.well-known/oauth-protected-resource${path}`);
    expect([status, body.error]).toEqual([404, 'NotFound']);
  });

  it('are named by every 401, and do not reveal whether a collection exists', async () => {
    const { id } = await newCollection(app, await newHome(app));
    const pointer = async (path: string, method = 'POST') =>
      (await app.request(method, path, method === 'GET' ? {} : { body: {} })).headers.get('www-authenticate');
    const named = (path: string) =>
      `Bearer resource_metadata="${app.url}/.well-known/oauth-protected-resource${path}"`;
    expect(await pointer('/v1/mcp')).toBe(named('/v1/mcp'));
    for (const each of [id, RANDOM]) {
      const path = `/v1/collections/${each}/mcp`;
      expect(await pointer(path)).toBe(named(path));
      expect((await app.request('GET', `/.well-known/oauth-protected-resource${path}`)).status).toBe(200);
      expect(await pointer(`/v1/collections/${each}`, 'GET')).toBe(named('/v1'));
    }
    expect(await pointer('/v2/me', 'GET')).toBe(named(''));
  });
});
