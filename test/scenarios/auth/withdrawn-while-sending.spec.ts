import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestRequest } from '../../app/app.js';
import { newCollection, type TestCollection, written } from '../../builders/collection.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newAgent } from '../sharing/sharing.js';
import { invite, newWorkspace, type TestWorkspace } from '../workspaces/workspace.js';
import type { Person } from './person.js';

/** Longer than a remembered credential and the look after the body may count: no notification is needed. */
const BOUND_MS = 5_500;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** An organization with something to write to. */
interface Estate {
  readonly org: TestOrg;
  readonly owner: { token: string };
  readonly collection: TestCollection;
  readonly workspace: TestWorkspace;
}

/** A caller who may write, and how that ends. */
interface Caller {
  readonly credential: Pick<TestRequest, 'token' | 'key' | 'headers'>;
  readonly withdraw: () => Promise<unknown>;
  /** What the caller may write; all of it unless this says otherwise. */
  readonly writes?: readonly Write[];
}

interface Slow {
  /** Sends the last byte, and resolves with the status of the answer. */
  finish(): Promise<{ status: number; text: string }>;
}

type Write = (estate: Estate) => { path: string; body: unknown; type?: string; method?: string };

const insert: Write = ({ collection }) => ({ path: collection.data, body: { records: { n: 1 } } });
const bulk: Write = ({ collection }) => ({ path: `${collection.data}/bulk`, body: { records: [{ n: 1 }] } });
const update: Write = ({ collection }) => ({
  ...{ method: 'PATCH', path: collection.data },
  body: { filter: {}, allow_match_all: true, update: { $set: { n: 2 } } },
});
const share: Write = ({ collection, org }) => ({
  path: `${collection.path}/access`,
  body: { principal_type: 'org', principal_id: org.slug, role: 'reader' },
});
const mintKey: Write = ({ collection }) => ({
  path: `${collection.path}/api-keys`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
const importFile: Write = ({ collection }) => ({
  ...{ path: `${collection.path}/import`, type: 'text/csv' },
  body: 'n\n1\n2\n3',
});
const mcp: Write = ({ collection }) => ({
  path: '/v1/mcp',
  body: {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'data_insert', arguments: { collection_id: collection.id, records: [{ n: 1 }] } },
  },
});
const create: Write = () => ({ path: '/v1/collections', body: { name: newSlug() } });
const mintOrgKey: Write = ({ org }) => ({
  path: `${org.path}/api-keys`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
const addRole: Write = ({ org }) => ({
  path: `${org.path}/roles`,
  body: { slug: newSlug(), name: 'Accomplice', permissions: ['collections:read'] },
});
const addGroup: Write = ({ org }) => ({ path: `${org.path}/groups`, body: { slug: newSlug(), name: 'Own' } });
const mintWorkspaceKey: Write = ({ workspace }) => ({
  path: `${workspace.path}/security/apikeys`,
  body: { name: 'Accomplice', rules: [{ action: 'manage', subject: 'workspaces' }] },
});

const OF_COLLECTION = [insert, bulk, update, share, mintKey, importFile, mcp];
const OF_RECORDS = [insert, bulk, update, importFile, mcp];
const ALL = [...OF_COLLECTION, create, mintOrgKey, addRole, addGroup];

async function newEstate(): Promise<Estate> {
  const org = await newOrg(app);
  const owner = { token: org.owner.token };
  const collection = await newCollection(app, { org, owner });
  return { org, owner, collection, workspace: await newWorkspace(app, org) };
}

async function done(method: string, path: string, request: TestRequest): Promise<unknown> {
  const { status, text, body } = await app.request(method, path, request);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

async function bind({ collection, owner }: Estate, type: string, id: string, role = 'admin') {
  const body = { principal_type: type, principal_id: id, role };
  await done('POST', `${collection.path}/access`, { ...owner, body });
}

/** A member of a role of its own with all permissions, who is an admin of the collection. */
async function admin(estate: Estate): Promise<Person & { readonly role: string }> {
  const role = newSlug();
  const body = { slug: role, name: 'All', permissions: ['*'] };
  await done('POST', `${estate.org.path}/roles`, { ...estate.owner, body });
  const member = await newMember(app, estate.org, role);
  await bind(estate, 'user', member.userId);
  return { ...member, role };
}

type Withdrawal = (estate: Estate) => Promise<Caller>;

const ofAdmin =
  (withdraw: (estate: Estate, member: Awaited<ReturnType<typeof admin>>) => Promise<unknown>): Withdrawal =>
  async estate => {
    const member = await admin(estate);
    return { credential: { token: member.token }, withdraw: () => withdraw(estate, member) };
  };

const ofKey =
  (withdraw: (estate: Estate, key: string) => Promise<unknown>): Withdrawal =>
  async estate => {
    const { id, apiKey } = await newKey(app, estate.org);
    const key = `${estate.org.path}/api-keys/${id}`;
    return { credential: { key: apiKey }, withdraw: () => withdraw(estate, key) };
  };

const WITHDRAWALS: Record<string, Withdrawal> = {
  'a session that is ended': ofAdmin((_, { token }) => done('POST', '/v2/logout', { token })),
  'a user who is disabled': ofAdmin((_, { userId }) =>
    app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]),
  ),
  'a member who is removed': ofAdmin(({ org, owner }, { userId }) =>
    done('DELETE', `${org.path}/members/${userId}`, owner),
  ),
  'a member who gets another role': async estate => {
    const member = await admin(estate);
    const role = newSlug();
    const body = { slug: role, name: 'None', permissions: ['collections:read'] };
    await done('POST', `${estate.org.path}/roles`, { ...estate.owner, body });
    return {
      credential: { token: member.token },
      withdraw: () =>
        done('PATCH', `${estate.org.path}/members/${member.userId}`, {
          ...estate.owner,
          body: { roleSlug: role },
        }),
    };
  },
  'a role that is narrowed': ofAdmin(({ org, owner }, { role }) =>
    done('PATCH', `${org.path}/roles/${role}`, { ...owner, body: { permissions: ['collections:read'] } }),
  ),
  'an access token that is deleted': async estate => {
    const member = await admin(estate);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const minted = (await done('POST', '/v2/user/accessTokens', {
      token: member.token,
      body: { name: 'script', expiresAt },
    })) as { _id: string; token: string };
    return {
      credential: { token: minted.token },
      withdraw: () => done('DELETE', `/v2/user/accessTokens/${minted._id}`, { token: member.token }),
    };
  },
  'a key that is revoked': ofKey(({ owner }, key) => done('DELETE', key, owner)),
  'a key that is rotated without grace': ofKey(({ owner }, key) =>
    done('POST', `${key}/rotate`, { ...owner, body: {} }),
  ),
  'a key that is disabled': ofKey(({ owner }, key) =>
    done('PATCH', key, { ...owner, body: { disabled: true } }),
  ),
  'a key that is narrowed': ofKey(({ owner }, key) =>
    done('PATCH', key, { ...owner, body: { permissions: ['collections:read'] } }),
  ),
  'a service account that is deleted': async estate => {
    const account = await newAccount(app, estate.org, { permissions: ['*'] });
    return {
      credential: { token: await tokenOf(app, account) },
      withdraw: () => done('DELETE', account.path, estate.owner),
      writes: [create, mintOrgKey, addRole, addGroup],
    };
  },
  'a binding that is revoked': async estate => {
    const member = await newMember(app, estate.org, { permissions: ['collections:*'] });
    await bind(estate, 'user', member.userId);
    return {
      credential: { token: member.token },
      withdraw: () => done('DELETE', `${estate.collection.path}/access/user/${member.userId}`, estate.owner),
      writes: OF_COLLECTION,
    };
  },
  'a binding that is narrowed': async estate => {
    const member = await newMember(app, estate.org, { permissions: ['collections:*'] });
    await bind(estate, 'user', member.userId);
    const path = `${estate.collection.path}/access/user/${member.userId}`;
    return {
      credential: { token: member.token },
      withdraw: () => done('PATCH', path, { ...estate.owner, body: { role: 'reader' } }),
      writes: OF_COLLECTION,
    };
  },
  'a group that is left': async estate => {
    const { org, owner } = estate;
    const member = await newMember(app, org, { permissions: ['collections:*'] });
    const group = (await done('POST', `${org.path}/groups`, {
      ...owner,
      body: { slug: newSlug(), name: 'Admins' },
    })) as { slug: string };
    const members = `${org.path}/groups/${group.slug}/members`;
    await done('POST', members, { ...owner, body: { users: [{ userId: member.userId }] } });
    await bind(estate, 'group', `${org.slug}:${group.slug}`);
    return {
      credential: { token: member.token },
      withdraw: () => done('DELETE', `${members}/${member.userId}`, owner),
      writes: OF_COLLECTION,
    };
  },
  'an agent that is removed': async estate => {
    const { org, owner } = estate;
    const agent = await newAgent(app, org);
    await done('PATCH', estate.collection.path, { ...owner, body: { agent_ids: [agent.id] } });
    const member = await newMember(app, org, { permissions: ['agents:act', 'collections:*'] });
    return {
      credential: { token: member.token, headers: { 'x-platform-agent-id': agent.id } },
      withdraw: () => done('DELETE', `${org.path}/agents/${agent.id}`, owner),
      writes: OF_RECORDS,
    };
  },
  'a collaborator who is removed': async estate => {
    const { org, owner, workspace } = estate;
    const member = await newMember(app, org);
    await invite(app, org, workspace, member, 'owner');
    return {
      credential: { token: member.token },
      withdraw: () => done('DELETE', `${workspace.path}/permissions/${member.userId}`, owner),
      writes: [mintWorkspaceKey],
    };
  },
};

/** Sends a request but for the last byte of its body. */
async function begin(estate: Estate, write: Write, { credential }: Caller, index: number): Promise<Slow> {
  const { method = 'POST', path, body, type = 'application/json' } = write(estate);
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { port } = new URL(app.url);
  const request = httpRequest({
    ...{ host: '127.0.0.1', port, method, path, agent: false },
    headers: {
      'content-type': type,
      accept: 'application/json, text/event-stream',
      // Every other body announces no length.
      ...(index % 2 === 0 && { 'content-length': bytes.length }),
      ...(credential.token !== undefined && { authorization: `Bearer ${credential.token}` }),
      ...(credential.key !== undefined && { 'x-platform-api-key': credential.key }),
      ...credential.headers,
    },
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    request.once('error', reject).once('response', response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode as number, text }));
    });
  });
  answer.catch(() => undefined);
  request.write(bytes.subarray(0, -1));
  return {
    finish: () => {
      request.end(bytes.subarray(-1));
      return answer;
    },
  };
}

/** Everything that the writes could leave. */
async function left(estate: Estate): Promise<unknown> {
  const { org, owner, collection, workspace } = estate;
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
    events: await app.sql(
      `SELECT type FROM org_${org.id.replaceAll('-', '')}.audit_events
       WHERE type ~ '(created|inserted|updated|shared|granted|minted)$' ORDER BY id`,
    ),
  };
}

describe.concurrent('of rights that are withdrawn while a request runs', () => {
  it.each(Object.entries(WITHDRAWALS))(
    '%s refuses every write, and nothing is stored',
    async (_, withdrawal) => {
      const estate = await newEstate();
      const caller = await withdrawal(estate);
      const writes = caller.writes ?? ALL;
      // The caller could write: each of these is refused for what happens next.
      const allowed = await begin(estate, writes[0] as Write, caller, 0);
      expect((await allowed.finish()).status).toBeLessThan(300);
      const slow = await Promise.all(writes.map((write, index) => begin(estate, write, caller, index)));
      await pause(300);
      await caller.withdraw();
      const before = await left(estate);
      await pause(BOUND_MS);
      for (const [index, each] of slow.entries()) {
        const { status, text } = await each.finish();
        const name = `${(writes[index] as Write).name}: ${text}`;
        if (writes[index] !== mcp || status !== 200) expect([401, 403, 404], name).toContain(status);
        else expect(text).toMatch(/CollectionNotFound|Forbidden/);
      }
      expect(await left(estate)).toEqual(before);
    },
    60_000,
  );

  it('a caller who may still write writes, however long the body takes', async () => {
    const estate = await newEstate();
    const member = await admin(estate);
    const caller = { credential: { token: member.token }, withdraw: async () => undefined };
    const slow = await Promise.all(ALL.map((write, index) => begin(estate, write, caller, index)));
    await pause(BOUND_MS);
    for (const [index, each] of slow.entries()) {
      const { status, text } = await each.finish();
      expect([200, 201], `${(ALL[index] as Write).name}: ${text}`).toContain(status);
    }
  }, 60_000);

  it('an import ends before its file does', async () => {
    const estate = await newEstate();
    const member = await admin(estate);
    const { port } = new URL(app.url);
    const request = httpRequest({
      ...{ host: '127.0.0.1', port, method: 'POST', path: `${estate.collection.path}/import`, agent: false },
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${member.token}` },
    });
    const answered = once(request, 'response');
    request.write('n\n1\n');
    await pause(300);
    await done('DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    request.write('2\n3\n');
    const [response] = await answered;
    expect([401, 403, 404]).toContain(response.statusCode);
    request.destroy();
    expect((await written(app, estate.collection))[0]).toBe(0);
  }, 60_000);

  it('an export breaks off', async () => {
    const estate = await newEstate();
    const member = await admin(estate);
    for (let batch = 0; batch < 4; batch++) {
      const records = Array.from({ length: 900 }, () => ({ text: randomBytes(5_000).toString('hex') }));
      await done('POST', `${estate.collection.data}/bulk`, { ...estate.owner, body: { records } });
    }
    const { port } = new URL(app.url);
    const request = httpRequest({
      ...{ host: '127.0.0.1', port, path: `${estate.collection.path}/export`, agent: false },
      headers: { authorization: `Bearer ${member.token}` },
    });
    request.end();
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    await done('DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of response) received += chunk.length;
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(received).toBeLessThan(30_000_000);
  }, 60_000);

  it('a body that is malformed is not judged for a caller who may no longer write', async () => {
    const estate = await newEstate();
    const member = await admin(estate);
    const caller = { credential: { token: member.token }, withdraw: async () => undefined };
    const malformed: Write = ({ collection }) => ({
      path: collection.data,
      body: { stranger: randomUUID() },
    });
    const slow = await begin(estate, malformed, caller, 0);
    await pause(300);
    await done('DELETE', `${estate.org.path}/members/${member.userId}`, estate.owner);
    await pause(BOUND_MS);
    const { status, text } = await slow.finish();
    expect([401, 403, 404]).toContain(status);
    expect(text).not.toContain('stranger');
  }, 60_000);
});
