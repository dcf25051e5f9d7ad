import { randomUUID } from 'node:crypto';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { cookie, type Person } from '../auth/person.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { sendRaw, startUpstream, type Upstream } from './upstream.js';

let app: TestApp;
let files: Upstream;
let org: TestOrg;
let owner: Person;
beforeAll(async () => {
  files = await startUpstream();
  app = await startOwnApp({
    environment: { GATEWAY_UPSTREAMS: JSON.stringify({ '/v2/files': files.origin }) },
  });
  org = await newOrg(app);
  owner = org.owner;
});
afterAll(async () => {
  await app.close();
  await files.close();
});

/** The parts of a request that the service behind the gateway received. */
async function forwarded(lines: readonly string[], body = '') {
  const before = files.received.length;
  const answer = await sendRaw(
    app.url,
    [lines[0]!, `Host: ${new URL(app.url).host}`, ...lines.slice(1)],
    body,
  );
  expect(files.received.length, answer).toBe(before + 1);
  return files.received.at(-1)!;
}

const newAgent = async (): Promise<{ id: string }> => {
  const body = { slug: newSlug(), name: 'Reader' };
  return (await app.request('POST', `${org.path}/agents`, { token: owner.token, body })).body;
};

const bearer = () => `Authorization: Bearer ${owner.token}`;

describe('a service behind the gateway receives', () => {
  it('exactly these headers, and none with which a client claims an identity or an address', async () => {
    const { names, headers, url, method } = await forwarded([
      'GET /v2/files/a%20b?x=1&x=2 HTTP/1.1',
      bearer(),
      `Cookie: access-token=${owner.token}; theme=dark`,
      'X-Platform-User-Id: evil',
      'x-platform-user-id: evil-again',
      'X_PLATFORM_USER_ID: evil',
      'x-platform_session-id: evil',
      'X-PLATFORM-IDENTITY: evil',
      'x_platform_identity: evil',
      'x.platform.org.slug: evil',
      'X-Platform-Anything: evil',
      'X-Forwarded-For: 6.6.6.6',
      'X-Forwarded-Host: evil.example',
      'X_Forwarded_For: 6.6.6.6',
      'X-Forwarded-Proto: https',
      'X-Real-IP: 6.6.6.6',
      'Forwarded: for=6.6.6.6',
      'X-Correlation-Id: mine-1',
      'X_Correlation_Id: evil',
      'Proxy-Authorization: Basic evil',
      'Keep-Alive: timeout=1000',
      'TE: trailers',
      'Connection: x-platform-user-id, x-platform-identity, x-secret-hop',
      'X-Secret-Hop: 1',
      'Accept: text/plain',
      'X-Own: one',
      'X-Own: two',
    ]);
    expect([method, url]).toEqual(['GET', '/v2/files/a%20b?x=1&x=2']);
    const { 'x-platform-identity': identity, ...others } = headers;
    expect(others).toEqual({
      accept: 'text/plain',
      'x-own': 'one, two',
      'content-length': '0',
      connection: 'keep-alive',
      host: new URL(files.origin).host,
      via: '1.1 platform',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': new URL(app.url).host,
      'x-correlation-id': 'mine-1',
      'x-platform-user-id': owner.userId,
      'x-platform-session-id': owner.sessionId,
      'x-platform-org-slug': org.slug,
    });
    expect(names.length).toBe(new Set(names).size);
    expect(decodeJwt(identity as string).sub).toBe(owner.userId);
    expect(JSON.stringify(headers)).not.toMatch(/evil|6\.6\.6\.6/);
    expect(JSON.stringify(headers)).not.toContain(owner.token);
  });

  it('the client address, scheme and host that trusted proxies report', async () => {
    const behind = await startOwnApp({
      environment: {
        GATEWAY_UPSTREAMS: JSON.stringify({ '/v2/files': files.origin }),
        TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
        PUBLIC_URL: app.url,
      },
    });
    try {
      const { body } = await behind.request('GET', '/v2/files', {
        token: owner.token,
        headers: {
          'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.0.0.3',
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'api.example.com',
        },
      });
      const { headers } = body;
      const forwarded = ['for', 'proto', 'host'].map(name => headers[`x-forwarded-${name}`]);
      expect(forwarded).toEqual(['203.0.113.9', 'https', 'api.example.com']);
    } finally {
      await behind.close();
    }
  });

  it('the request of an HTTP/1.0 client without a Host header', async () => {
    const answer = await sendRaw(app.url, ['GET /v2/files/old HTTP/1.0', bearer()]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"method":"GET","url":"\/v2\/files\/old"/);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });

  it('an identity token that it can verify with the public keys, for its own audience and one minute', async () => {
    const { headers } = await forwarded(['GET /v2/files HTTP/1.1', bearer()]);
    const keys = createRemoteJWKSet(new URL(`${app.url}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(headers['x-platform-identity'] as string, keys, {
      issuer: `${app.url}/oidc`,
      audience: files.origin,
      typ: 'platform-identity+jwt',
      maxTokenAge: 60,
    });
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
    expect(payload.exp! - payload.iat!).toBe(60);
    expect(payload).toMatchObject({
      sub: owner.userId,
      type: 'user',
      aud: files.origin,
      org: org.slug,
      role: 'owner',
      permissions: ['*'],
      scopes: [],
      credential: 'jwt',
      sessionId: owner.sessionId,
      firstParty: true,
    });
  });

  it('a body as it was sent, with the same length or chunked', async () => {
    const counted = await forwarded(
      ['POST /v2/files HTTP/1.1', bearer(), 'Content-Type: text/x-odd; charset=latin1', 'Content-Length: 4'],
      'a\u00e9b"',
    );
    expect(counted.headers['content-length']).toBe('4');
    expect(counted.headers['transfer-encoding']).toBeUndefined();
    expect(counted.headers['content-type']).toBe('text/x-odd; charset=latin1');
    const chunked = await forwarded(
      ['DELETE /v2/files HTTP/1.1', bearer(), 'Transfer-Encoding: chunked', 'Connection: content-length'],
      '3\r\nabc\r\n0\r\n\r\n',
    );
    expect([chunked.body, chunked.headers['transfer-encoding']]).toEqual(['abc', 'chunked']);
    const none = await forwarded(['POST /v2/files HTTP/1.1', bearer()]);
    expect([none.headers['content-length'], none.headers['transfer-encoding']]).toEqual(['0', undefined]);
  });

  it('no Expect header of a client that waits for 100 Continue', async () => {
    const { headers, body } = await forwarded(
      [
        'POST /v2/files HTTP/1.1',
        bearer(),
        'Expect: 100-continue',
        'X-Platform-User-Id: evil',
        'Content-Length: 2',
      ],
      'ok',
    );
    expect([headers['x-platform-user-id'], headers.expect, body]).toEqual([owner.userId, undefined, 'ok']);
  });

  it('an absolute URL in the request line as a path', async () => {
    expect((await forwarded(['GET http://evil.example/v2/files/x HTTP/1.1', bearer()])).url).toBe(
      '/v2/files/x',
    );
  });

  const offer = (method: string, ...headers: string[]) => [
    `${method} /v2/files HTTP/1.1`,
    `Host: ${new URL(app.url).host}`,
    bearer(),
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    'Connection: Upgrade, HTTP2-Settings',
    ...headers,
  ];

  it('a request that offers to upgrade without the offer, and the connection is closed', async () => {
    const response = await sendRaw(app.url, offer('GET'));
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toMatch(/^connection: close\r$/im);
    const { headers, method } = files.received.at(-1)!;
    expect([method, headers.upgrade, headers['http2-settings']]).toEqual(['GET', undefined, undefined]);
  });

  it.each([
    ['a length', 'Content-Length: 5', 'hello'],
    ['chunks', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
  ])('no body of a request that offers an upgrade, announced by %s: 400', async (_, header, body) => {
    const before = files.received.length;
    const response = await sendRaw(app.url, offer('POST', header), body);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('Send it without Upgrade.');
    expect(files.received.length).toBe(before);
  });
});

describe('the headers of the caller name', () => {
  const identityOf = async (request: Parameters<TestApp['request']>[2]) => {
    const { status, text, body } = await app.request('GET', '/v2/files/me', request);
    expect(status, text).toBe(200);
    const { headers } = body;
    const forwarded = Object.fromEntries(
      Object.entries(headers).filter(([name]) => /^x-platform-(?!identity)/.test(name)),
    );
    return { forwarded, identity: decodeJwt(headers['x-platform-identity']) };
  };

  it('both the person and the agent when a person acts for an agent', async () => {
    const agent = await newAgent();
    const { forwarded, identity } = await identityOf({
      token: owner.token,
      headers: { 'x-platform-agent-id': agent.id },
    });
    expect(forwarded).toEqual({
      'x-platform-user-id': owner.userId,
      'x-platform-session-id': owner.sessionId,
      'x-platform-org-slug': org.slug,
      'x-platform-agent-id': agent.id,
    });
    expect(identity).toMatchObject({ sub: agent.id, type: 'agent', act: { sub: owner.userId } });
  });

  it('the agent when it calls with its own key', async () => {
    const agent = await newAgent();
    const { apiKey: key } = await newKey(app, org, { ownerType: 'agent', ownerId: agent.id });
    const { forwarded, identity } = await identityOf({ key });
    expect(forwarded).toEqual({ 'x-platform-org-slug': org.slug, 'x-platform-agent-id': agent.id });
    expect(identity).toMatchObject({ sub: agent.id, type: 'agent', credential: 'org-api-key' });
    expect(identity.act).toBeUndefined();
  });

  it('only the key for an organization key, with its permissions and scopes', async () => {
    const scopes = [`workspaces:${randomUUID()}`];
    const { id, apiKey: key } = await newKey(app, org, { permissions: ['workspaces:read'], scopes });
    const { forwarded, identity } = await identityOf({ key });
    expect(forwarded).toEqual({ 'x-platform-org-slug': org.slug });
    expect(identity).toMatchObject({ sub: id, type: 'key', permissions: ['workspaces:read'], scopes });
    expect(JSON.stringify(identity)).not.toContain(key);
  });

  it('the workspace and no organization for a key of a workspace', async () => {
    const token = owner.token;
    const made = await app.request('POST', '/v2/workspaces', {
      token,
      body: { name: newSlug(), orgSlug: org.slug },
    });
    const { body } = await app.request('POST', `/v2/workspaces/${made.body.id}/security/apikeys`, {
      token,
      body: { name: 'Files', rules: [{ action: 'read', subject: 'files' }] },
    });
    const { forwarded, identity } = await identityOf({ key: body.apiKey });
    expect(forwarded).toEqual({});
    expect(identity).toMatchObject({ type: 'key', workspaceId: made.body.id, permissions: [] });
  });

  it('a member with only the permissions of their role', async () => {
    const member = await newMember(app, org, { permissions: ['files:read', 'orgs:apikeys:*'] });
    const { identity } = await identityOf({ token: member.token });
    expect(identity.permissions).toEqual(['files:read', 'orgs:apikeys:*']);
  });
});

describe('the gateway does not forward', () => {
  const refused = async (path: string, request: Parameters<TestApp['request']>[2], method = 'GET') => {
    const before = files.received.length;
    const { status, body } = await app.request(method, path, request);
    expect(files.received.length).toBe(before);
    return [status, body.error];
  };

  it('without a valid credential, whatever headers the client sends', async () => {
    const headers = { 'x-platform-user-id': owner.userId };
    expect(await refused('/v2/files', { headers })).toEqual([401, 'Unauthorized']);
    expect(await refused('/v2/files', { headers, token: 'at:none' })).toEqual([401, 'Unauthorized']);
    expect(await refused('/v2/files', { token: owner.token, key: 'iak_x' })).toEqual([
      400,
      'InvalidArguments',
    ]);
  });

  it('with the cookie from a page of another origin', async () => {
    const headers = { ...cookie(owner.token), origin: 'https://evil.example' };
    expect(await refused('/v2/files', { headers, body: {} }, 'POST')).toEqual([403, 'CsrfRefused']);
    const fromOurs = { ...cookie(owner.token), origin: app.url };
    expect((await app.request('POST', '/v2/files', { headers: fromOurs, body: {} })).status).toBe(200);
  });

  it('a request with a key of one collection', async () => {
    const { token } = owner;
    const made = await app.request('POST', '/v1/collections', { token, body: { name: newSlug() } });
    const { body } = await app.request('POST', `/v1/collections/${made.body.collection_id}/api-keys`, {
      token,
      body: { slug: newSlug(), name: 'Key', permissions: ['collections:read'] },
    });
    expect(await refused('/v2/files', { key: body.secret })).toEqual([403, 'Forbidden']);
  });

  it.each([
    '/v2/files/..%2fadmin',
    '/v2/files/%2e%2e/x',
    '/v2/files/a%5c..%5cb',
    '/v2/files/..;/x',
    '/v2/files/./x',
  ])('at %s, which a service could resolve to another path', async path => {
    const before = files.received.length;
    const host = `Host: ${new URL(app.url).host}`;
    expect(await sendRaw(app.url, [`GET ${path} HTTP/1.1`, host, bearer()])).toMatch(/^HTTP\/1\.1 404 /);
    expect(files.received.length).toBe(before);
  });

  it('for paths beside the prefix and for routes of the platform', async () => {
    expect(await refused('/v2/filesystem', { token: owner.token })).toEqual([404, 'NotFound']);
    expect((await app.request('GET', '/v1/collections', { token: owner.token })).status).toBe(200);
  });
});
