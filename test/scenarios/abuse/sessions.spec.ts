import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp, TestRequest } from '../../harness/app.js';
import { type Person, signIn } from '../auth/person.js';
import { newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newWorkspace } from '../workspaces/workspace.js';
import { twoInstances } from './instances.js';

let app: TestApp;
let other: TestApp;
let org: TestOrg;

beforeAll(async () => {
  [app, other] = await twoInstances();
  org = await newOrg(app);
});
afterAll(() => Promise.all([app.close(), other.close()]));

/** A credential, a request that accepts it, and the call that ends it on one instance. */
interface Ended {
  readonly credential: Pick<TestRequest, 'token' | 'key'>;
  readonly path: string;
  readonly status: number;
  end(): Promise<unknown>;
}

const asOwner = () => ({ token: org.owner.token });
const disable = ({ userId }: Person) =>
  app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
const leave = ({ userId }: Person) => app.request('DELETE', `${org.path}/members/${userId}`, asOwner());

async function accessTokenOf({ token }: Person): Promise<{ _id: string; token: string }> {
  const body = { name: 'script', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  return (await app.request('POST', '/v2/user/accessTokens', { token, body })).body;
}

const CASES: [string, () => Promise<Ended>][] = [
  [
    'a session that is revoked',
    async () => {
      const member = await newMember(app, org);
      const { token, sessionId } = await signIn(app, member.userId);
      const end = () => app.request('DELETE', `/v2/user/sessions/${sessionId}`, { token: member.token });
      return { credential: { token }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'a session when all others are revoked',
    async () => {
      const member = await newMember(app, org);
      const { token } = await signIn(app, member.userId);
      const end = () => app.request('DELETE', '/v2/user/sessions', { token: member.token });
      return { credential: { token }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'a session that logs out',
    async () => {
      const { token } = await newMember(app, org);
      const end = () => app.request('POST', '/v2/logout', { token });
      return { credential: { token }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'a session whose row is deleted by hand',
    async () => {
      const { token, sessionId } = await newMember(app, org);
      const end = () => app.sql('DELETE FROM sessions WHERE id = $1', [sessionId]);
      return { credential: { token }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'the session of a user who is disabled',
    async () => {
      const member = await newMember(app, org);
      return { credential: { token: member.token }, path: '/v2/me', status: 401, end: () => disable(member) };
    },
  ],
  [
    'the access token of a user who is disabled',
    async () => {
      const member = await newMember(app, org);
      const { token } = await accessTokenOf(member);
      return { credential: { token }, path: '/v2/me', status: 401, end: () => disable(member) };
    },
  ],
  [
    'the key of a user who is disabled',
    async () => {
      const member = await newMember(app, org);
      const { apiKey: key } = await newKey(app, org, { ownerType: 'user', ownerId: member.userId });
      return { credential: { key }, path: '/v2/me', status: 401, end: () => disable(member) };
    },
  ],
  [
    'a membership that is removed',
    async () => {
      const member = await newMember(app, org);
      return { credential: { token: member.token }, path: org.path, status: 403, end: () => leave(member) };
    },
  ],
  [
    'the key of a member who is removed',
    async () => {
      const member = await newMember(app, org);
      const { apiKey: key } = await newKey(app, org, { ownerType: 'user', ownerId: member.userId });
      return { credential: { key }, path: '/v1/collections', status: 401, end: () => leave(member) };
    },
  ],
  [
    'an access token that is revoked',
    async () => {
      const member = await newMember(app, org);
      const { _id, token } = await accessTokenOf(member);
      const end = () => app.request('DELETE', `/v2/user/accessTokens/${_id}`, { token: member.token });
      return { credential: { token }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'an organization key that is disabled',
    async () => {
      const { id, apiKey: key } = await newKey(app, org);
      const end = () =>
        app.request('PATCH', `${org.path}/api-keys/${id}`, { ...asOwner(), body: { disabled: true } });
      return { credential: { key }, path: '/v1/collections', status: 401, end };
    },
  ],
  [
    'an organization key that is deleted',
    async () => {
      const { id, apiKey: key } = await newKey(app, org);
      const end = () => app.request('DELETE', `${org.path}/api-keys/${id}`, asOwner());
      return { credential: { key }, path: '/v1/collections', status: 401, end };
    },
  ],
  [
    'a key whose permissions shrink',
    async () => {
      const { id, apiKey: key } = await newKey(app, org, { permissions: ['collections:read'] });
      const body = { permissions: ['orgs:audit:read'] };
      const end = () => app.request('PATCH', `${org.path}/api-keys/${id}`, { ...asOwner(), body });
      return { credential: { key }, path: '/v1/collections', status: 403, end };
    },
  ],
  [
    'the token of a service account that is rotated',
    async () => {
      const account = await newAccount(app, org);
      const end = () => app.request('POST', `${account.path}/rotate`, { ...asOwner(), body: {} });
      return { credential: { token: await tokenOf(app, account) }, path: '/v2/me', status: 401, end };
    },
  ],
  [
    'a workspace key that is deleted',
    async () => {
      const workspace = await newWorkspace(app, org);
      const path = `${workspace.path}/security/apikeys`;
      const body = { name: 'reader', rules: [{ action: 'read', subject: 'workspaces' }] };
      const { body: minted } = await app.request('POST', path, { ...asOwner(), body });
      const end = () => app.request('DELETE', `${path}/${minted.id}`, asOwner());
      return { credential: { key: minted.apiKey }, path: workspace.path, status: 401, end };
    },
  ],
];

describe('the other instance refuses within five seconds', () => {
  it.each(CASES)('%s', async (_, prepare) => {
    const { credential, path, status, end } = await prepare();
    const at = (instance: TestApp) => async () => (await instance.request('GET', path, credential)).status;
    const there = at(other);
    // Fills the cache of the other instance, which must drop the entry.
    expect([await there(), await there()]).toEqual([200, 200]);
    const ended = (await end()) as { status?: number };
    if (ended.status !== undefined) expect(ended.status).toBeLessThan(300);
    for (const instance of [app, other]) {
      await expect.poll(at(instance), { timeout: 5_000, interval: 20 }).toBe(status);
    }
  });
});
