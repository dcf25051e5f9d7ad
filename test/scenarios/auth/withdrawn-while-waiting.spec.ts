import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admission } from '../../../src/platform/database/admission/admission.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { outcome, written } from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { invite } from '../workspaces/workspace.js';
import { allWait, blocked, fill, holding, waitUntil } from './waiting.js';
import {
  ALL,
  addGroup,
  addRole,
  admin,
  bulk,
  type Caller,
  create,
  type Estate,
  importFile,
  insert,
  left,
  mcp,
  mintKey,
  mintOrgKey,
  mintWorkspaceKey,
  newEstate,
  share,
  update,
  WITHDRAWALS,
  type Write,
  writeEvents,
} from './withdrawals.js';

/** Longer than the service relies on an earlier decision about rights. */
const HELD_MS = 700;
/** Enough that all writes of a test wait for the same place. */
const DATABASE_POOL_SIZE = '32';

let app: TestApp;
/** A second instance with places of its own, on which the rights are withdrawn. */
let other: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: { DATABASE_POOL_SIZE } });
  other = await startOwnApp({
    database: { url: app.settings.DATABASE_URL as string },
    environment: { PUBLIC_URL: app.url },
  });
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const upsert: Write = ({ collection }) => ({
  path: `${collection.data}/upsert`,
  body: { data: { n: 5 }, match_fields: ['n'] },
});
const mcpUpdate: Write = ({ collection }) => ({
  path: `${collection.path}/mcp`,
  body: {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: {
      name: 'data_update',
      arguments: { filter: { n: 1 }, update: { $set: { n: 3 } }, max_affected: 100 },
    },
  },
});
const mcpCreate: Write = estate => ({
  path: '/v1/mcp',
  body: {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'data_create_collection', arguments: create(estate).body },
  },
});
const webhook: Write = ({ collection }) => ({
  path: `${collection.path}/webhooks`,
  body: { url: 'https://example.com/hook' },
});

const changeSchema: Write = ({ collection }) => ({
  ...{ method: 'PATCH', path: `${collection.path}/schema` },
  body: { properties: { extra: { type: 'integer' } } },
});
const applyIndexes: Write = ({ collection }) => ({
  path: `${collection.path}/indexes`,
  body: { indexes: [{ properties: ['n'] }] },
});

const OF_RECORDS = [insert, bulk, update, upsert, mcp, mcpUpdate];
const OF_PLATFORM = [share, mintKey, create, mintOrgKey, addRole, addGroup, mcpCreate];

function send(estate: Estate, write: Write, { credential }: Pick<Caller, 'credential'>) {
  const { method = 'POST', path, body } = write(estate);
  const headers = { accept: 'application/json, text/event-stream', ...credential.headers };
  return app.request(method, path, { ...credential, headers, body });
}

/** Describes the answers, with the name of the write for each unexpected one. */
async function outcomes(writes: readonly Write[], sent: readonly Promise<TestResponse>[]): Promise<string[]> {
  const answers = await Promise.all(sent);
  return answers.map(({ status, text }, index) => {
    const isRefused =
      [401, 403, 404].includes(status) ||
      /Unauthorized|CollectionNotFound|Forbidden|MembershipRequired|Conflict/.test(text);
    if (isRefused) return 'refused';
    return status < 300 && !text.includes('"isError":true')
      ? 'written'
      : `${writes[index]?.name}: ${status} ${text}`;
  });
}

const rowsOf = async ({ collection }: Estate) => (await written(app, collection))[0];

describe('a write that waits for admission', () => {
  it.each(Object.entries(WITHDRAWALS))(
    'is refused after %s, and nothing is stored',
    async (_, withdrawal) => {
      const estate = await newEstate(app);
      const caller = await withdrawal(estate);
      const asked = caller.writes ?? [...ALL, mcpCreate, webhook, changeSchema, applyIndexes];
      const writes = asked.filter(write => write !== importFile);
      // The caller had write access, so each refusal is due to the withdrawal.
      expect((await send(estate, writes[0] as Write, caller)).status).toBeLessThan(300);
      const release = await fill(estate);
      const sent = writes.map(write => send(estate, write, caller));
      try {
        await allWait(estate);
        await caller.withdraw(other);
        const before = await left(estate);
        await pause(HELD_MS);
        release();
        expect(await outcomes(writes, sent)).toEqual(writes.map(() => 'refused'));
        expect(await left(estate)).toEqual(before);
      } finally {
        await Promise.allSettled(sent);
      }
    },
  );

  it('succeeds for a caller who still has write access', async () => {
    const estate = await newEstate(app);
    const { token } = await admin(estate);
    const writes = [...OF_RECORDS, ...OF_PLATFORM, webhook, changeSchema];
    const release = await fill(estate);
    const sent = writes.map(write => send(estate, write, { credential: { token } }));
    await allWait(estate);
    await pause(HELD_MS);
    release();
    expect(await outcomes(writes, sent)).toEqual(writes.map(() => 'written'));
  });
});

describe('a write of records that waits for its table', () => {
  it.each([
    'a session that is ended',
    'a member who is removed',
    'a role that is narrowed',
    'a key that is revoked',
    'a binding that is revoked',
    'an agent that is removed',
  ])('is refused after %s, and nothing is stored', async name => {
    const estate = await newEstate(app);
    const caller = await (WITHDRAWALS[name] as (typeof WITHDRAWALS)[string])(estate);
    expect((await send(estate, insert, caller)).status).toBe(200);
    const [sent, before] = await holding(
      estate,
      `LOCK TABLE ${estate.collection.table} IN ACCESS EXCLUSIVE MODE`,
      async () => {
        const writes = OF_RECORDS.map(write => send(estate, write, caller));
        await waitUntil(() => app.nest.get(Admission).records.closed > 0);
        await caller.withdraw(other);
        const events = await writeEvents(estate);
        await pause(2 * HELD_MS);
        return [writes, events] as const;
      },
    );
    expect(await outcomes(OF_RECORDS, sent)).toEqual(OF_RECORDS.map(() => 'refused'));
    expect([await rowsOf(estate), await writeEvents(estate)]).toEqual([1, before]);
  });

  it('succeeds for a caller who still has write access, also in a batch with writes of other callers', async () => {
    const estate = await newEstate(app);
    const member = await admin(estate);
    const callers = [member, estate.owner];
    const sent = await holding(
      estate,
      `LOCK TABLE ${estate.collection.table} IN ACCESS EXCLUSIVE MODE`,
      async () => {
        const inserts = Array.from({ length: 12 }, (_, each) => {
          const { token } = callers[each % 2] as { token: string };
          return send(estate, insert, { credential: { token } });
        });
        await waitUntil(() => app.nest.get(Admission).records.closed > 0);
        await other.request('POST', '/v2/logout', { token: member.token });
        await pause(2 * HELD_MS);
        return inserts;
      },
    );
    const expected = sent.map((_, each) => (each % 2 === 0 ? 'refused' : 'written'));
    expect(
      await outcomes(
        sent.map(() => insert),
        sent,
      ),
    ).toEqual(expected);
    expect(await rowsOf(estate)).toBe(6);
  });
});

describe('a change of the platform that waits for the lock of its organization', () => {
  const organization = ({ org }: Estate) => `SELECT FROM orgs WHERE id = '${org.id}' FOR UPDATE`;

  it.each([
    ['a member is removed', 'DELETE FROM org_memberships WHERE user_id = $1'],
    ['a session is ended', 'DELETE FROM sessions WHERE user_id = $1'],
    ['a user is disabled', `UPDATE users SET status = 'disabled' WHERE id = $1`],
    [
      'a role loses permissions',
      `UPDATE org_roles r SET permissions = '{collections:read}' FROM org_memberships m
       WHERE m.user_id = $1 AND r.org_id = m.org_id AND r.slug = m.role_slug`,
    ],
  ])('is refused after %s, and nothing is stored', async (_, withdrawal) => {
    const estate = await newEstate(app);
    const { token, userId } = await admin(estate);
    const before = await writeEvents(estate);
    const sent = await holding(estate, organization(estate), async client => {
      const writes = OF_PLATFORM.map(write => send(estate, write, { credential: { token } }));
      await waitUntil(async () => (await blocked(estate)) === writes.length);
      await client.query(withdrawal, [userId]);
      await pause(HELD_MS);
      return writes;
    });
    // The writes get their lock at the moment in which the withdrawal takes effect.
    expect(await outcomes(OF_PLATFORM, sent)).toEqual(OF_PLATFORM.map(() => 'refused'));
    expect(await writeEvents(estate)).toEqual(before);
  });

  it('succeeds for a caller who still has write access', async () => {
    const estate = await newEstate(app);
    const { token } = await admin(estate);
    const sent = await holding(estate, organization(estate), async () => {
      const writes = OF_PLATFORM.map(write => send(estate, write, { credential: { token } }));
      await waitUntil(async () => (await blocked(estate)) === writes.length);
      await pause(HELD_MS);
      return writes;
    });
    expect(await outcomes(OF_PLATFORM, sent)).toEqual(OF_PLATFORM.map(() => 'written'));
  });

  it('is refused with 409 when the rights of the caller have changed, because they may not suffice to grant others', async () => {
    const estate = await newEstate(app);
    const { token, role } = await admin(estate);
    const before = await writeEvents(estate);
    const minted = await holding(estate, organization(estate), async client => {
      const answer = send(estate, mintOrgKey, { credential: { token } });
      await waitUntil(async () => (await blocked(estate)) === 1);
      await client.query(`UPDATE org_roles SET permissions = '{orgs:apikeys:manage}' WHERE slug = $1`, [
        role,
      ]);
      await pause(HELD_MS);
      return { answer };
    });
    expect(outcome(await minted.answer)).toEqual([409, 'Conflict']);
    expect(await writeEvents(estate)).toEqual(before);
  });
});

it("is refused after the owner of the workspace was removed, for a change that waits for the workspace's row", async () => {
  const estate = await newEstate(app);
  const member = await newMember(app, estate.org);
  await invite(app, estate.org, estate.workspace, member, 'owner');
  const before = await writeEvents(estate);
  const { id } = estate.workspace;
  const minted = await holding(
    estate,
    `SELECT FROM workspaces WHERE id = '${id}' FOR UPDATE`,
    async client => {
      const answer = send(estate, mintWorkspaceKey, { credential: { token: member.token } });
      await waitUntil(async () => (await blocked(estate)) === 1);
      await client.query('DELETE FROM workspace_collaborators WHERE user_id = $1', [member.userId]);
      await pause(HELD_MS);
      return { answer };
    },
  );
  expect([403, 404]).toContain((await minted.answer).status);
  expect(await writeEvents(estate)).toEqual(before);
});
