import type { ServerResponse } from 'node:http';
import { type JWTPayload, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser } from '../../harness/browser.js';
import { CLIENT_ID } from '../../harness/identity-provider.js';
import { newOrg } from '../orgs/org.js';
import { newTestKey, startProvider, type TestKey, type TestProvider } from '../sso/provider.js';
import { begun, provider as described, newAccount, startWorld, type World } from './world.js';

let world: World;
let key: TestKey;
let idp: TestProvider;
let slug: string;

beforeAll(async () => {
  world = await startWorld();
  key = await newTestKey('first');
});
afterAll(() => world.close());

beforeEach(async () => {
  idp = await startProvider();
  idp.keys = [key.publicJwk];
  const { path, owner } = await newOrg(world.app);
  slug = path.slice('/v2/orgs/'.length);
  const body = described(slug, idp.issuer);
  const made = await world.app.request('POST', `${path}/auth/sso`, { token: owner.token, body });
  expect(made.status).toBe(201);
});

/** Opens a callback for whose code the provider's token endpoint gives this answer. */
async function comeBack(answer: (nonce: string, response: ServerResponse) => void): Promise<Response> {
  const browser = new Browser();
  const signIn = new URL(await begun(world.app, browser, slug));
  const { state, nonce } = Object.fromEntries(signIn.searchParams) as Record<string, string>;
  // The provider's metadata is cached by now, so further requests are for its keys.
  idp.answer = (request, response) => {
    if (request.url === '/token') return answer(nonce as string, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: idp.keys }));
  };
  const query = new URLSearchParams({ code: 'x'.repeat(43), state: state as string });
  return browser.open(`${world.app.url}/v2/login/callback/${slug}?${query}`);
}

function tokens(made: (nonce: string) => Promise<string | undefined> | string) {
  return comeBack(async (nonce, response) => {
    const id_token = await made(nonce);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token }));
  });
}

function claims(nonce: string | undefined, change: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { iss: idp.issuer, aud: CLIENT_ID, iat: now, exp: now + 600, nonce, ...newAccount(), ...change };
}

describe('the token endpoint of a provider', () => {
  it('signs in a person with a valid id_token', async () => {
    const answer = await tokens(nonce => key.sign(claims(nonce)));
    expect(answer.status).toBe(302);
    expect(answer.headers.getSetCookie().join()).toContain('access-token=');
  });

  const spoilt: Record<string, (nonce: string) => Promise<string | undefined> | string> = {
    'no id_token': async () => undefined,
    'an id_token that somebody else has signed': async nonce =>
      (await newTestKey('first')).sign(claims(nonce)),
    'an id_token that nobody has signed': nonce => new UnsecuredJWT(claims(nonce)).encode(),
    'an id_token of another login': () => key.sign(claims('x'.repeat(43))),
    'an id_token of no login': () => key.sign(claims(undefined)),
    'an id_token for somebody else': nonce => key.sign(claims(nonce, { aud: 'another-app' })),
    'an id_token for somebody else as well': nonce =>
      key.sign(claims(nonce, { aud: [CLIENT_ID, 'another-app'], azp: CLIENT_ID })),
    'an id_token of another issuer': nonce => key.sign(claims(nonce, { iss: world.open.issuer })),
    'an id_token that is over': nonce => key.sign(claims(nonce, { iat: 1, exp: 2 })),
  };

  it.each(Object.entries(spoilt))('does not sign in anyone with %s', async (_, made) => {
    const answer = await tokens(made);
    expect(answer.status).toBe(400);
    expect(answer.headers.getSetCookie().join()).not.toContain('access-token=');
  });

  it.each([
    ['fails', 400, (response: ServerResponse) => response.writeHead(500).end('{"error":"server_error"}')],
    ['refuses', 400, (response: ServerResponse) => response.writeHead(400).end('{"error":"invalid_grant"}')],
    ['redirects', 400, (response: ServerResponse) => redirect(response)],
    ['disconnects', 503, (response: ServerResponse) => response.destroy()],
    [
      'never ends its answer',
      503,
      (response: ServerResponse) => response.writeHead(200).end('x'.repeat(1024 * 1024)),
    ],
  ])('does not sign in anyone when it %s: %i', async (_, status, answered) => {
    const answer = await comeBack((_nonce, response) => void answered(response));
    expect(answer.status).toBe(status);
    expect(answer.headers.getSetCookie().join()).not.toContain('access-token=');
    expect(await answer.text()).not.toContain('127.0.0.1');
    expect(world.closed.requests).toEqual([]);
  });

  const redirect = (response: ServerResponse) =>
    response.writeHead(307, { location: `${world.closed.issuer}/token` }).end();
});
