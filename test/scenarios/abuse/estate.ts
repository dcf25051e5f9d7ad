import { randomUUID } from 'node:crypto';
import type { TestApp, TestRequest } from '../../harness/app.js';
import { insert, newCollection, type TestCollection } from '../../harness/collection.js';
import { cookie, type Person, signIn } from '../auth/person.js';
import { emailOf, newDomain, newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newWorkspace, type TestWorkspace } from '../workspaces/workspace.js';

/** The credential of a caller. */
export type Credential = Pick<TestRequest, 'token' | 'key' | 'headers'>;

/** An organization with one thing of each kind that has an id, and its owner. */
export interface Estate {
  readonly org: TestOrg;
  readonly collection: TestCollection;
  readonly workspace: TestWorkspace;
  /** Somebody with a role on the collection, in a group and in the workspace. */
  readonly member: Person;
  /** One credential of each kind, each with every right in the organization that its kind can have. */
  readonly credentials: Readonly<Record<string, Credential>>;
}

type Post = (path: string, body: object) => Promise<Record<string, string>>;
type Grounds = Omit<Estate, 'credentials'>;

export async function newEstate(app: TestApp): Promise<Estate> {
  const org = await newOrg(app);
  const owner = { token: org.owner.token };
  const post: Post = async (path, body) => {
    const answer = await app.request('POST', path, { ...owner, body });
    if (answer.status >= 300) throw new Error(`${path} was not furnished: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const member = await newMember(app, org, { permissions: ['collections:read'] });
  const collection = await newCollection(app, { org, owner });
  const workspace = await newWorkspace(app, org);
  const grounds = { org, collection, workspace, member };
  await furnishCollection(app, grounds, post);
  await furnishOrg(grounds, post);
  await post(`${workspace.path}/permissions`, { target: { id: member.userId }, role: 'editor' });
  await furnishOwner(app, org.owner);
  return { ...grounds, credentials: await credentialsOf(app, grounds, post) };
}

async function furnishCollection(app: TestApp, { org, collection, member }: Grounds, post: Post) {
  await insert(app, collection, { title: 'Emma' });
  const binding = { principal_type: 'user', principal_id: member.userId, role: 'reader' };
  await post(`${collection.path}/access`, binding);
  await post(`${collection.path}/views`, { name: 'Titles', for: 'all' });
  const { id } = await post(`${collection.path}/webhooks`, { url: 'https://hooks.example.com' });
  // It sends nothing, so that nothing changes by itself.
  await app.sql(`UPDATE webhooks SET status = 'paused' WHERE id = $1`, [id]);
  await app.sql(
    `INSERT INTO webhook_deliveries (id, webhook_id, status, changes, payload)
     VALUES (gen_random_uuid(), $1, 'delivered', 1, '{}')`,
    [id],
  );
  const owner = { token: org.owner.token };
  await app.request('DELETE', (await newCollection(app, { org, owner })).path, owner);
}

async function furnishOrg({ org, member }: Grounds, post: Post): Promise<void> {
  const group = await post(`${org.path}/groups`, { slug: newSlug(), name: 'Editors' });
  await post(`${org.path}/groups/${group.slug}/members`, { users: [{ userId: member.userId }] });
  await post(`${org.path}/agents`, { slug: newSlug(), name: 'Agent' });
  await post(`${org.path}/invites`, { roleSlug: 'member', maxUses: 1 });
  await post(`${org.path}/domains`, { domain: newDomain() });
  await post(`${org.path}/auth/sso`, {
    ...{ slug: newSlug(), name: 'Login', type: 'oidc', domains: [] },
    config: { issuer: 'https://login.example.com', client_id: 'us', client_secret: randomUUID() },
  });
}

/** A second session, a passkey, and an invitation from another organization. */
async function furnishOwner(app: TestApp, { userId }: Person): Promise<void> {
  await signIn(app, userId);
  await app.sql(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, sign_count, name, created_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid()::text, '', 0, 'Telephone', now())`,
    [userId],
  );
  const { path, owner } = await newOrg(app);
  const users = [{ email: await emailOf(app, { userId }) }];
  await app.request('POST', `${path}/members`, { token: owner.token, body: { users } });
}

async function credentialsOf(
  app: TestApp,
  { org, collection, workspace }: Grounds,
  post: Post,
): Promise<Estate['credentials']> {
  const { token, userId } = org.owner;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const rules = [{ action: 'manage', subject: 'workspaces' }];
  const accessToken = await post('/v2/user/accessTokens', { name: 'script', expiresAt });
  const workspaceKey = await post(`${workspace.path}/security/apikeys`, { name: 'site', rules });
  const collectionKey = await post(`${collection.path}/api-keys`, {
    ...{ slug: newSlug(), name: 'Export', permissions: ['collections:*'] },
  });
  const account = await newAccount(app, org, { permissions: ['*'] });
  const anonymous = await app.request('POST', '/v2/login/anonymous');
  return {
    nothing: {},
    'a session': { token },
    'the cookie': { headers: { ...cookie(token), 'sec-fetch-site': 'same-origin' } },
    'an access token': { token: accessToken.token as string },
    'an organization key': { key: (await newKey(app, org)).apiKey },
    "a person's key": { key: (await newKey(app, org, { ownerType: 'user', ownerId: userId })).apiKey },
    'a collection key': { key: collectionKey.secret as string },
    'a workspace key': { key: workspaceKey.apiKey as string },
    'a service account': { token: await tokenOf(app, account) },
    'an anonymous session': { token: anonymous.body.token },
  };
}
