import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/base/kernel/principal.js';
import { IdentitySource } from '../../../src/platform/http/identity-source.js';
import type { TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome } from '../../harness/collection.js';
import { MovedClock, type Person, signIn } from '../auth/person.js';
import { until } from '../changes/feed.js';
import { newKey } from '../orgs/org.js';
import { type Split, startSplit } from './split.js';
import { startUpstream, type Upstream } from './upstream.js';

const clock = new MovedClock();
let files: Upstream;
let split: Split;
let gateway: TestApp;
let runtime: TestApp;
let home: Home;
beforeAll(async () => {
  files = await startUpstream();
  const ofGateway = { GATEWAY_UPSTREAMS: JSON.stringify({ '/v2/files': files.origin }) };
  split = await startSplit({ clock, ofGateway });
  ({ gateway, runtime } = split);
  home = await newHome(gateway);
});
afterAll(async () => {
  await split.close();
  await files.close();
});

/** The identity of a caller that the gateway sends to a service. */
async function identityFor(
  audience: string,
  { userId, sessionId }: Person,
  changed: Partial<Principal> = {},
) {
  const principal: Principal = {
    type: 'user',
    id: userId,
    credential: 'jwt',
    credentialId: sessionId,
    sessionId,
    email: null,
    slug: undefined,
    memberships: [],
    activeOrgSlug: undefined,
    expiresAt: clock.seconds() + 3600,
    narrowedTo: undefined,
    collectionId: undefined,
    createdBy: undefined,
    firstParty: true,
    anonymous: false,
    ...changed,
  };
  return gateway.nest.get(IdentitySource).of(principal, audience);
}

const ofRuntime = () => runtime.settings.RUNTIME_URL as string;
const show = (identity: string, app = runtime, more: Record<string, string> = {}) =>
  app.request('GET', '/v1/collections', { headers: { 'x-platform-identity': identity, ...more } });
const fresh = () => signIn(gateway, home.org.owner.userId);

describe('a runtime behind a gateway', () => {
  it('accepts an identity that is signed for it, and reads the caller’s rights itself', async () => {
    const person = await fresh();
    await newCollection(gateway, home);
    const { status, body } = await show(await identityFor(ofRuntime(), person));
    expect([status, body.collections?.length ?? body.total]).toEqual([200, 1]);
  });

  it('accepts no identity headers without it', async () => {
    const { userId, sessionId } = await fresh();
    const headers = { 'x-platform-user-id': userId, 'x-platform-session-id': sessionId };
    expect(outcome(await runtime.request('GET', '/v1/collections', { headers }))).toEqual([
      401,
      'Unauthorized',
    ]);
    for (const app of [gateway, runtime]) {
      const answer = await show('', app, headers);
      expect(outcome(answer)).toEqual([401, 'Unauthorized']);
    }
  });

  it('refuses an identity for another service, which could otherwise use the caller’s rights', async () => {
    const { token } = home.owner;
    const { body } = await gateway.request('GET', '/v2/files', { token });
    const stolen = body.headers['x-platform-identity'];
    expect(decodeJwt(stolen).aud).toBe(files.origin);
    expect(outcome(await show(stolen))).toEqual([401, 'Unauthorized']);
  });

  it('refuses an identity that is older than a minute, even when it was accepted before', async () => {
    const identity = await identityFor(ofRuntime(), await fresh());
    expect((await show(identity)).status).toBe(200);
    clock.move(66);
    expect(outcome(await show(identity))).toEqual([401, 'Unauthorized']);
  });

  it('refuses a changed identity, and tokens of another kind', async () => {
    const identity = await identityFor(ofRuntime(), await fresh());
    const [header, payload, signature] = identity.split('.');
    const forged = { ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), sub: 'other' };
    const changed = [header, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.');
    for (const text of [changed, home.owner.token as string, `${identity}, ${identity}`, 'x', 'a.b.c']) {
      expect(outcome(await show(text))).toEqual([401, 'Unauthorized']);
    }
  });

  it('refuses an identity together with another credential', async () => {
    const identity = await identityFor(ofRuntime(), await fresh());
    const more = { authorization: `Bearer ${home.owner.token}` };
    expect(outcome(await show(identity, runtime, more))).toEqual([400, 'InvalidArguments']);
  });

  it('refuses an ended session, a deleted key and withdrawn rights', async () => {
    const person = await fresh();
    const identity = await identityFor(ofRuntime(), person);
    expect((await show(identity)).status).toBe(200);
    const path = `/v2/user/sessions/${person.sessionId}`;
    const ended = await gateway.request('DELETE', path, { token: home.owner.token });
    expect(ended.status, ended.text).toBeLessThan(300);
    await until(async () => (await show(identity)).status === 401, 'the end of the session');
    const { id } = await newKey(gateway, home.org);
    const key = {
      type: 'key',
      id,
      credential: 'org-api-key',
      credentialId: id,
      sessionId: undefined,
    } as const;
    const ofKey = await identityFor(ofRuntime(), person, { ...key, expiresAt: undefined });
    expect((await show(ofKey)).status).toBe(200);
    await gateway.request('PATCH', `${home.org.path}/api-keys/${id}`, {
      ...home.owner,
      body: { disabled: true },
    });
    await until(async () => (await show(ofKey)).status === 401, 'the end of the key');
  });

  it('reads the caller itself: an identity cannot hold more than its credential', async () => {
    const person = await fresh();
    const other = home.org.owner.userId;
    const mismatched = await identityFor(ofRuntime(), person, { id: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182' });
    expect(outcome(await show(mismatched))).toEqual([401, 'Unauthorized']);
    const bound = await identityFor(ofRuntime(), person, { boundTo: '/v1/mcp' });
    expect(outcome(await show(bound))).toEqual([401, 'Unauthorized']);
    const narrowed = await identityFor(ofRuntime(), person, {
      firstParty: false,
      narrowedTo: ['orgs:manage'],
    });
    expect(person.userId).toBe(other);
    expect((await show(narrowed)).status).toBe(403);
  });
});

describe('an identity token is refused', () => {
  it('as a bearer token', async () => {
    const identity = await identityFor(ofRuntime(), await fresh());
    for (const app of [gateway, runtime]) {
      expect(outcome(await app.request('GET', '/v1/collections', { token: identity }))).toEqual([
        401,
        'Unauthorized',
      ]);
    }
    expect(outcome(await gateway.request('GET', '/v2/me', { token: identity }))).toEqual([
      401,
      'Unauthorized',
    ]);
  });

  it('by the gateway, instead of a credential', async () => {
    const identity = await identityFor(ofRuntime(), await fresh());
    const headers = { 'x-platform-identity': identity };
    for (const path of ['/v1/collections', '/v2/me', '/v2/files']) {
      expect(outcome(await gateway.request('GET', path, { headers }))).toEqual([401, 'Unauthorized']);
    }
  });
});
