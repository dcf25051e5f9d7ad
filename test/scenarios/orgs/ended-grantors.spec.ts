import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { join } from '../invites/invite.js';
import { newJoiner, Site } from '../passkeys/site.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

/** Who makes links and invitations, and what can end. */
interface Maker {
  readonly caller: Pick<TestRequest, 'token' | 'key' | 'headers'>;
  /** Path of the person, key, service account or agent below that of the organization. */
  readonly path: string;
}

const PERMISSIONS = ['orgs:members:manage', 'orgs:invites:manage', 'collections:*'];

async function asOwner(method: string, path: string, body?: object) {
  const request = { token: org.owner.token, ...(body && { body }) };
  const answer = await app.request(method, `${org.path}${path}`, request);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

/** A person who acts for an agent. */
async function agent(ends: 'person' | 'agent'): Promise<Maker> {
  const { token, userId } = await newMember(app, org, { permissions: [...PERMISSIONS, 'agents:act'] });
  const { id } = await asOwner('POST', '/agents', { slug: newSlug(), name: 'Importer' });
  const path = ends === 'person' ? `/members/${userId}` : `/agents/${id}`;
  return { caller: { token, headers: { 'x-platform-agent-id': id } }, path };
}

async function key(owner: object = {}): Promise<Maker> {
  const { id, apiKey } = await newKey(app, org, { permissions: PERMISSIONS, ...owner });
  return { caller: { key: apiKey }, path: `/api-keys/${id}` };
}

async function keyOfAdmin(): Promise<Maker> {
  const { userId } = await newMember(app, org, 'admin');
  return key({ ownerType: 'user', ownerId: userId });
}

async function serviceAccount(): Promise<Maker> {
  const account = await newAccount(app, org, { permissions: PERMISSIONS });
  return {
    caller: { token: await tokenOf(app, account) },
    path: `/service-accounts/${account.slug}`,
  };
}

const makers: [string, () => Promise<Maker>][] = [
  ['a person who acts for an agent', () => agent('person')],
  ['a key', () => key()],
  ['a key of a person', keyOfAdmin],
  ['a service account', serviceAccount],
];

async function linkBy({ caller }: Maker, { userId }: { userId: string }): Promise<string> {
  const { status, body } = await app.request('POST', `${org.path}/members/${userId}/recovery-link`, caller);
  expect(status).toBe(201);
  return new URL(body.url).searchParams.get('code') as string;
}

async function inviteBy({ caller }: Maker, roleSlug = 'member'): Promise<string> {
  const body = { roleSlug, maxUses: 5 };
  const made = await app.request('POST', `${org.path}/invites`, { ...caller, body });
  expect(made.status).toBe(201);
  return made.body.code;
}

const use = async (code: string) => (await new Site(app).press('/v2/login/recovery', { code })).status;
const joinBy = async (code: string) => (await join(app, await person(app), code)).status;

describe('a recovery link and an invitation by', () => {
  it.each(makers)('%s work', async (_, maker) => {
    const made = await maker();
    expect(await use(await linkBy(made, await newJoiner(app, org)))).toBe(303);
    expect(await joinBy(await inviteBy(made))).toBe(201);
  });

  const disable = ({ path }: Maker) => asOwner('PATCH', path, { disabled: true });
  const remove = ({ path }: Maker) => asOwner('DELETE', path);
  const weaken = ({ path }: Maker) => asOwner('PATCH', path, { permissions: ['collections:read'] });
  const expire = ({ path }: Maker) =>
    app.sql(`UPDATE org_api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      path.split('/').at(-1),
    ]);

  it.each<[string, () => Promise<Maker>, (maker: Maker) => Promise<unknown>]>([
    ['a person who acted for an agent end with the membership of the person', () => agent('person'), remove],
    ['a person who acted for an agent end with the agent', () => agent('agent'), remove],
    ['a key end with the key', () => key(), remove],
    ['a key end when the key is disabled', () => key(), disable],
    ['a key end when the key expires', () => key(), expire],
    ['a key end when the key loses the rights', () => key(), weaken],
    ['a key of a person end with the key', keyOfAdmin, remove],
    ['a service account end with the account', serviceAccount, remove],
    ['a service account end when it is disabled', serviceAccount, disable],
    ['a service account end when it loses the rights', serviceAccount, weaken],
  ])('%s', async (_, maker, end) => {
    const made = await maker();
    const member = await newJoiner(app, org);
    const [link, invitation] = [await linkBy(made, member), await inviteBy(made)];
    await end(made);
    expect(await use(link)).toBe(401);
    expect(await joinBy(invitation)).toBe(404);
    expect((await app.request('GET', '/v2/me', { token: member.token })).status).toBe(200);
  });
});

describe('what a recovery link opens and an invitation gives', () => {
  it.each(makers)('never exceeds what %s held when it was made', async (_, maker) => {
    const made = await maker();
    const slug = newSlug();
    await asOwner('POST', '/roles', { slug, name: 'Growing', permissions: ['collections:read'] });
    const member = await newJoiner(app, org);
    const [link, invitation] = [await linkBy(made, member), await inviteBy(made, slug)];
    await asOwner('PATCH', `/members/${member.userId}`, { roleSlug: 'admin' });
    await asOwner('PATCH', `/roles/${slug}`, { permissions: ['*'] });
    expect(await use(link)).toBe(401);
    expect(await joinBy(invitation)).toBe(404);
  });

  it('does not grow with the rights of the key', async () => {
    const made = await key();
    const member = await newJoiner(app, org);
    const link = await linkBy(made, member);
    await asOwner('PATCH', `/members/${member.userId}`, { roleSlug: 'admin' });
    await asOwner('PATCH', made.path, { permissions: ['*'] });
    expect(await use(link)).toBe(401);
  });

  it('is never an owner, when the person acted for an agent', async () => {
    const { id } = await asOwner('POST', '/agents', { slug: newSlug(), name: 'Importer' });
    const caller = { token: org.owner.token, headers: { 'x-platform-agent-id': id } };
    const member = await newJoiner(app, org);
    const link = await linkBy({ caller, path: '' }, member);
    await asOwner('PATCH', `/members/${member.userId}`, { roleSlug: 'owner' });
    expect(await use(link)).toBe(401);
  });
});

it('names the person who acted for an agent as the sender of an invitation', async () => {
  const { caller, path } = await agent('person');
  const made = await app.request('POST', `${org.path}/invites`, { ...caller, body: { roleSlug: 'member' } });
  expect(`/members/${made.body.invitedBy}`).toBe(path);
});
