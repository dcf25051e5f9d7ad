import { randomUUID } from 'node:crypto';
import type { TestApp, TestRequest } from '../../app/app.js';
import { insert, newCollection, type TestCollection } from '../../builders/collection.js';
import { cookie, signIn } from '../auth/person.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newWorkspace, type TestWorkspace } from '../workspaces/workspace.js';

/** The credential of a caller. */
export type Credential = Pick<TestRequest, 'token' | 'key' | 'headers'>;

/** An organization with one thing of each kind that has an id, and its owner. */
export interface Estate {
  readonly org: TestOrg;
  readonly collection: TestCollection;
  readonly workspace: TestWorkspace;
  /** One credential of each kind, each with every right in the organization that its kind can have. */
  readonly credentials: Readonly<Record<string, Credential>>;
}

export async function newEstate(app: TestApp): Promise<Estate> {
  const org = await newOrg(app);
  const owner = { token: org.owner.token };
  const post = async (path: string, body: object) => {
    const answer = await app.request('POST', path, { ...owner, body });
    if (answer.status >= 300) throw new Error(`${path} was not furnished: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const member = await newMember(app, org, { permissions: ['collections:read'] });
  const collection = await newCollection(app, { org, owner });
  const workspace = await newWorkspace(app, org);
  await insert(app, collection, { title: 'Emma' });
  await post(`${collection.path}/access`, {
    principal_type: 'user',
    principal_id: member.userId,
    role: 'reader',
  });
  const group = await post(`${org.path}/groups`, { slug: newSlug(), name: 'Editors' });
  await post(`${org.path}/groups/${group.slug}/members`, { users: [{ userId: member.userId }] });
  await post(`${org.path}/agents`, { slug: newSlug(), name: 'Agent' });
  await post(`${org.path}/invites`, { roleSlug: 'member', maxUses: 1 });
  await post(`${org.path}/auth/sso`, {
    ...{ slug: newSlug(), name: 'Login', type: 'oidc', domains: [] },
    config: { issuer: 'https://login.example.com', client_id: 'us', client_secret: randomUUID() },
  });
  await post(`${workspace.path}/permissions`, { target: { id: member.userId }, role: 'editor' });
  await signIn(app, org.owner.userId);
  return {
    org,
    collection,
    workspace,
    credentials: await credentialsOf(app, { org, collection, workspace }, post),
  };
}

async function credentialsOf(
  app: TestApp,
  { org, collection, workspace }: Omit<Estate, 'credentials'>,
  post: (path: string, body: object) => Promise<Record<string, string>>,
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
