import { type TestApp, type TestRequest } from '../../harness/app.js';
import { newCollection, type TestCollection, written } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newAgent } from '../sharing/sharing.js';
import { invite, newWorkspace, type TestWorkspace } from '../workspaces/workspace.js';
import type { Person } from './person.js';

/** An organization with things to write to. */
export interface Estate {
  readonly app: TestApp;
  readonly org: TestOrg;
  readonly owner: { token: string };
  readonly collection: TestCollection;
  readonly workspace: TestWorkspace;
}

/** A caller with write access, and the action that withdraws it. */
export interface Caller {
  readonly credential: Pick<TestRequest, 'token' | 'key' | 'headers'>;
  /** Runs on this instance. */
  readonly withdraw: (at: TestApp) => Promise<unknown>;
  /** The writes that the caller may do; all of them by default. */
  readonly writes?: readonly Write[];
}

export type Write = (estate: Estate) => { path: string; body: unknown; type?: string; method?: string };

export const insert: Write = ({ collection }) => ({ path: collection.data, body: { records: { n: 1 } } });
export const bulk: Write = ({ collection }) => ({
  path: `${collection.data}/bulk`,
  body: { records: [{ n: 1 }] },
});
export const update: Write = ({ collection }) => ({
  ...{ method: 'PATCH', path: collection.data },
  body: { filter: {}, allow_match_all: true, update: { $set: { n: 2 } } },
});
export const share: Write = ({ collection, org }) => ({
  path: `${collection.path}/access`,
  body: { principal_type: 'org', principal_id: org.slug, role: 'reader' },
});
export const mintKey: Write = ({ collection }) => ({
  path: `${collection.path}/api-keys`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
export const importFile: Write = ({ collection }) => ({
  ...{ path: `${collection.path}/import`, type: 'text/csv' },
  body: 'n\n1\n2\n3',
});
export const mcp: Write = ({ collection }) => ({
  path: '/v1/mcp',
  body: {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'data_insert', arguments: { collection_id: collection.id, records: [{ n: 1 }] } },
  },
});
export const create: Write = () => ({ path: '/v1/collections', body: { name: newSlug() } });
export const mintOrgKey: Write = ({ org }) => ({
  path: `${org.path}/api-keys`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
export const addRole: Write = ({ org }) => ({
  path: `${org.path}/roles`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
export const addGroup: Write = ({ org }) => ({
  path: `${org.path}/groups`,
  body: { slug: newSlug(), name: 'Own' },
});
export const mintWorkspaceKey: Write = ({ workspace }) => ({
  path: `${workspace.path}/security/apikeys`,
  body: { name: 'Accomplice', rules: [{ action: 'manage', subject: 'workspaces' }] },
});

const OF_COLLECTION = [insert, bulk, update, share, mintKey, importFile, mcp];
const OF_RECORDS = [insert, bulk, update, importFile, mcp];
export const ALL = [...OF_COLLECTION, create, mintOrgKey, addRole, addGroup];

export async function newEstate(app: TestApp): Promise<Estate> {
  const org = await newOrg(app);
  const owner = { token: org.owner.token };
  const collection = await newCollection(app, { org, owner }, { properties: { n: { type: 'integer' } } });
  return { app, org, owner, collection, workspace: await newWorkspace(app, org) };
}

/** The body of an answer. Throws when the request was refused. */
export async function done(
  app: TestApp,
  method: string,
  path: string,
  request: TestRequest,
): Promise<unknown> {
  const { status, text, body } = await app.request(method, path, request);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

async function bind({ app, collection, owner }: Estate, type: string, id: string, role = 'admin') {
  const body = { principal_type: type, principal_id: id, role };
  await done(app, 'POST', `${collection.path}/access`, { ...owner, body });
}

/** A member with a role that has all permissions, who is an admin of the collection. */
export async function admin(estate: Estate): Promise<Person & { readonly role: string }> {
  const role = newSlug();
  const body = { slug: role, name: 'All', permissions: ['*'] };
  await done(estate.app, 'POST', `${estate.org.path}/roles`, { ...estate.owner, body });
  const member = await newMember(estate.app, estate.org, role);
  await bind(estate, 'user', member.userId);
  return { ...member, role };
}

type Withdrawal = (estate: Estate) => Promise<Caller>;

const ofAdmin =
  (
    withdraw: (at: TestApp, estate: Estate, member: Awaited<ReturnType<typeof admin>>) => Promise<unknown>,
  ): Withdrawal =>
  async estate => {
    const member = await admin(estate);
    return { credential: { token: member.token }, withdraw: at => withdraw(at, estate, member) };
  };

const ofKey =
  (withdraw: (at: TestApp, estate: Estate, key: string) => Promise<unknown>): Withdrawal =>
  async estate => {
    const { id, apiKey } = await newKey(estate.app, estate.org);
    const key = `${estate.org.path}/api-keys/${id}`;
    return { credential: { key: apiKey }, withdraw: at => withdraw(at, estate, key) };
  };

export const WITHDRAWALS: Record<string, Withdrawal> = {
  'a session that is ended': ofAdmin((at, _, { token }) => done(at, 'POST', '/v2/logout', { token })),
  'a user who is disabled': ofAdmin((at, _, { userId }) =>
    at.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]),
  ),
  'a member who is removed': ofAdmin((at, { org, owner }, { userId }) =>
    done(at, 'DELETE', `${org.path}/members/${userId}`, owner),
  ),
  'a member who gets another role': async estate => {
    const member = await admin(estate);
    const role = newSlug();
    const body = { slug: role, name: 'None', permissions: ['collections:read'] };
    await done(estate.app, 'POST', `${estate.org.path}/roles`, { ...estate.owner, body });
    return {
      credential: { token: member.token },
      withdraw: at =>
        done(at, 'PATCH', `${estate.org.path}/members/${member.userId}`, {
          ...estate.owner,
          body: { roleSlug: role },
        }),
    };
  },
  'a role that is narrowed': ofAdmin((at, { org, owner }, { role }) =>
    done(at, 'PATCH', `${org.path}/roles/${role}`, { ...owner, body: { permissions: ['collections:read'] } }),
  ),
  'an access token that is deleted': async estate => {
    const member = await admin(estate);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const minted = (await done(estate.app, 'POST', '/v2/user/accessTokens', {
      token: member.token,
      body: { name: 'script', expiresAt },
    })) as { _id: string; token: string };
    return {
      credential: { token: minted.token },
      withdraw: at => done(at, 'DELETE', `/v2/user/accessTokens/${minted._id}`, { token: member.token }),
    };
  },
  'a key that is revoked': ofKey((at, { owner }, key) => done(at, 'DELETE', key, owner)),
  'a key that is rotated without grace': ofKey((at, { owner }, key) =>
    done(at, 'POST', `${key}/rotate`, { ...owner, body: {} }),
  ),
  'a key that is disabled': ofKey((at, { owner }, key) =>
    done(at, 'PATCH', key, { ...owner, body: { disabled: true } }),
  ),
  'a key that is narrowed': ofKey((at, { owner }, key) =>
    done(at, 'PATCH', key, { ...owner, body: { permissions: ['collections:read'] } }),
  ),
  'a service account that is deleted': async estate => {
    const account = await newAccount(estate.app, estate.org, { permissions: ['*'] });
    return {
      credential: { token: await tokenOf(estate.app, account) },
      withdraw: at => done(at, 'DELETE', account.path, estate.owner),
      writes: [create, mintOrgKey, addRole, addGroup],
    };
  },
  'a binding that is revoked': async estate => {
    const member = await newMember(estate.app, estate.org, { permissions: ['collections:*'] });
    await bind(estate, 'user', member.userId);
    return {
      credential: { token: member.token },
      withdraw: at =>
        done(at, 'DELETE', `${estate.collection.path}/access/user/${member.userId}`, estate.owner),
      writes: OF_COLLECTION,
    };
  },
  'a binding that is narrowed': async estate => {
    const member = await newMember(estate.app, estate.org, { permissions: ['collections:*'] });
    await bind(estate, 'user', member.userId);
    const path = `${estate.collection.path}/access/user/${member.userId}`;
    return {
      credential: { token: member.token },
      withdraw: at => done(at, 'PATCH', path, { ...estate.owner, body: { role: 'reader' } }),
      writes: OF_COLLECTION,
    };
  },
  'a group that is left': async estate => {
    const { org, owner } = estate;
    const member = await newMember(estate.app, org, { permissions: ['collections:*'] });
    const group = (await done(estate.app, 'POST', `${org.path}/groups`, {
      ...owner,
      body: { slug: newSlug(), name: 'Admins' },
    })) as { slug: string };
    const members = `${org.path}/groups/${group.slug}/members`;
    await done(estate.app, 'POST', members, { ...owner, body: { users: [{ userId: member.userId }] } });
    await bind(estate, 'group', `${org.slug}:${group.slug}`);
    return {
      credential: { token: member.token },
      withdraw: at => done(at, 'DELETE', `${members}/${member.userId}`, owner),
      writes: OF_COLLECTION,
    };
  },
  'an agent that is removed': async estate => {
    const { org, owner } = estate;
    const agent = await newAgent(estate.app, org);
    await done(estate.app, 'PATCH', estate.collection.path, { ...owner, body: { agent_ids: [agent.id] } });
    const member = await newMember(estate.app, org, { permissions: ['agents:act', 'collections:*'] });
    return {
      credential: { token: member.token, headers: { 'x-platform-agent-id': agent.id } },
      withdraw: at => done(at, 'DELETE', `${org.path}/agents/${agent.id}`, owner),
      writes: OF_RECORDS,
    };
  },
  'a collaborator who is removed': async estate => {
    const { org, owner, workspace } = estate;
    const member = await newMember(estate.app, org);
    await invite(estate.app, org, workspace, member, 'owner');
    return {
      credential: { token: member.token },
      withdraw: at => done(at, 'DELETE', `${workspace.path}/permissions/${member.userId}`, owner),
      writes: [mintWorkspaceKey],
    };
  },
};

/** Everything that the writes could create. */
export async function left(estate: Estate): Promise<unknown> {
  const { app, org, owner, collection, workspace } = estate;
  const list = async (path: string) => (await app.request('GET', path, owner)).text;
  return {
    records: (await written(app, collection))[0],
    lists: await Promise.all(
      [
        ...['/v1/collections', `${collection.path}/access`, `${collection.path}/api-keys`],
        ...[`${org.path}/api-keys`, `${org.path}/roles`, `${org.path}/groups`],
        `${workspace.path}/security/apikeys`,
      ].map(list),
    ),
    events: await writeEvents(estate),
  };
}

/** The types of the events that the writes record. */
export function writeEvents({ app, org }: Estate): Promise<{ type: string }[]> {
  return app.sql(
    `SELECT type FROM ${schemaOf(org.id)}.audit_events
     WHERE type ~ '(created|inserted|updated|shared|granted|minted)$' ORDER BY id`,
  );
}
