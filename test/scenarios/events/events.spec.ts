import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CredentialCache } from '../../../src/features/auth/credential-cache.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { person, signIn } from '../auth/person.js';
import { newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { type ListenProxy, listenProxy } from './listen-proxy.js';

const CHANNELS = ['gateway.jwks.updated', 'runtime.jwks.updated', 'sessions.revoked', 'permissions.changed'];

let app: TestApp;
let other: TestApp;
let proxy: ListenProxy;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  proxy = await listenProxy(url);
  other = await startOwnApp({
    database: { url },
    environment: { PUBLIC_URL: app.url, DATABASE_LISTEN_URL: proxy.url },
  });
});
afterAll(async () => {
  await other.close();
  await app.close();
  await proxy.close();
});

describe('a platform event', () => {
  let listener: pg.Client;
  let org: TestOrg;
  let notifications: [event: string, payload: unknown][] = [];

  beforeAll(async () => {
    org = await newOrg(app);
    listener = new pg.Client({ connectionString: app.settings.DATABASE_URL as string });
    await listener.connect();
    await listener.query(CHANNELS.map(channel => `LISTEN "${channel}"`).join(';'));
    listener.on('notification', ({ channel, payload = '' }) =>
      notifications.push([channel, JSON.parse(payload)]),
    );
  });
  afterAll(() => listener.end());

  /** The notifications of a statement. They are complete when the notification of a later statement arrives. */
  async function notificationsOf(text: string, values?: unknown[]): Promise<typeof notifications> {
    await listener.query('SELECT 1');
    notifications = [];
    await app.sql(text, values);
    await listener.query('SELECT 1');
    return notifications;
  }

  it('names sessions that ended, also by hand, and not sessions that were used', async () => {
    const { userId, sessionId } = await person(app);
    const second = (await signIn(app, userId)).sessionId;
    expect(
      await notificationsOf('UPDATE sessions SET last_used_at = now() WHERE id = $1', [sessionId]),
    ).toEqual([]);
    expect(
      await notificationsOf('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionId]),
    ).toEqual([['sessions.revoked', { table: 'sessions', ids: [sessionId] }]]);
    expect(await notificationsOf('DELETE FROM sessions WHERE user_id = $1', [userId])).toEqual([
      ['sessions.revoked', { table: 'sessions', ids: [sessionId, second].sort() }],
    ]);
  });

  it.each([
    ['org_memberships', `UPDATE org_memberships SET role_slug = 'admin' WHERE user_id = $1`],
    ['org_memberships', 'DELETE FROM org_memberships WHERE user_id = $1'],
    ['users', `UPDATE users SET status = 'disabled' WHERE id = $1`],
  ])('names users and keys whose rights changed in %s', async (table, statement) => {
    const { userId } = await newMember(app, org);
    expect(await notificationsOf(statement, [userId])).toEqual([
      ['permissions.changed', { table, ids: [userId] }],
    ]);
  });

  it('names a key that was changed, not one that was used', async () => {
    const { id } = await newKey(app, org);
    expect(await notificationsOf('UPDATE org_api_keys SET last_used_at = now() WHERE id = $1', [id])).toEqual(
      [],
    );
    expect(await notificationsOf('UPDATE org_api_keys SET disabled = true WHERE id = $1', [id])).toEqual([
      ['permissions.changed', { table: 'org_api_keys', ids: [id] }],
    ]);
  });

  it('names many rows in several notifications, and states that all may have changed beyond 1,500', async () => {
    const { userId } = await person(app);
    const endSessions = async (count: number) => {
      await app.sql(
        `INSERT INTO sessions (id, user_id, client_id, expires_at)
         SELECT gen_random_uuid(), $1, 'platform', now() + interval '1 day' FROM generate_series(1, $2)`,
        [userId, count],
      );
      return notificationsOf('DELETE FROM sessions WHERE user_id = $1', [userId]);
    };
    // The session of the sign-in ends too.
    const some = await endSessions(249);
    const lists = some.map(([, payload]) => (payload as { ids: string[] }).ids);
    expect(lists.map(ids => ids.length).sort()).toEqual([100, 150]);
    expect(new Set(lists.flat()).size).toBe(250);
    expect(await endSessions(1501)).toEqual([['sessions.revoked', { all: true }]]);
    expect(await notificationsOf('TRUNCATE workspace_api_keys')).toEqual([
      ['permissions.changed', { all: true }],
    ]);
  });

  it('tells gateways and runtimes which signing keys were added and removed', async () => {
    const insert = `INSERT INTO signing_keys (kid, algorithm, state, public_jwk, sealed_private_jwk)
      SELECT 'made-up', algorithm, 'rotated', public_jwk, sealed_private_jwk FROM signing_keys LIMIT 1`;
    const both = (payload: object) => [
      ['gateway.jwks.updated', payload],
      ['runtime.jwks.updated', payload],
    ];
    expect(await notificationsOf(insert)).toEqual(both({ created: ['made-up'], deleted: [] }));
    expect(await notificationsOf(`UPDATE signing_keys SET state = 'next' WHERE kid = 'made-up'`)).toEqual(
      both({ created: [], deleted: [] }),
    );
    expect(await notificationsOf(`DELETE FROM signing_keys WHERE kid = 'made-up'`)).toEqual(
      both({ created: [], deleted: ['made-up'] }),
    );
    expect(await notificationsOf('TRUNCATE signing_keys')).toEqual(both({ all: true }));
  });
});

describe('an instance', () => {
  const listening = () => other.nest.get(Notifications).isListening;
  const until = (state: boolean) => expect.poll(listening, { interval: 20 }).toBe(state);
  const status = async (token: string) => (await other.request('GET', '/v2/me', { token })).status;
  const revoke = (id: string) => app.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [id]);

  beforeEach(async () => {
    proxy.mode = 'pass';
    await until(true);
  });

  it('caches a credential while it listens, and refuses it after a notification', async () => {
    const { token, sessionId } = await person(app);
    const remembered = async () => {
      const { hits } = other.nest.get(CredentialCache).counts;
      expect(await status(token)).toBe(200);
      return other.nest.get(CredentialCache).counts.hits - hits;
    };
    // The notification of the session's creation may arrive after its first use and empty the cache once more.
    await expect.poll(remembered, { timeout: 5_000, interval: 5 }).toBe(1);
    await revoke(sessionId);
    await expect.poll(() => status(token), { timeout: 5_000, interval: 5 }).toBe(401);
  });

  it('whose connection is cut refuses an ended session at once, without a notification', async () => {
    const { token, sessionId } = await person(app);
    expect(await status(token)).toBe(200);
    // Waits until the backends have exited.
    await app.sql(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE application_name = 'typed-collections listen' AND datname = current_database()`,
    );
    await revoke(sessionId);
    expect(await status(token)).toBe(401);
  });

  it('that cannot listen checks each credential in the database, and caches again afterwards', async () => {
    const { token, sessionId, userId } = await person(app);
    expect(await status(token)).toBe(200);
    proxy.mode = 'refuse';
    proxy.cut();
    await until(false);
    const { hits } = other.nest.get(CredentialCache).counts;
    expect([await status(token), await status(token)]).toEqual([200, 200]);
    await revoke(sessionId);
    expect(await status(token)).toBe(401);
    const [{ kid }] = await app.sql(`SELECT kid FROM signing_keys WHERE state = 'active'`);
    const second = (await signIn(app, userId)).token;
    expect(await status(second)).toBe(200);
    await app.sql('DELETE FROM signing_keys WHERE kid = $1', [kid]);
    expect(await status(second)).toBe(401);
    expect(other.nest.get(CredentialCache).counts.hits).toBe(hits);

    proxy.mode = 'pass';
    await until(true);
    const third = (await signIn(app, userId)).token;
    const remembered = async () => {
      expect(await status(third)).toBe(200);
      return other.nest.get(CredentialCache).counts.hits;
    };
    // The notification of the session's creation may arrive after its first use.
    await expect.poll(remembered).toBeGreaterThan(hits);
  });

  it('detects that notifications are lost on the way, and stops relying on its cache', async () => {
    const { token, sessionId } = await person(app);
    expect(await status(token)).toBe(200);
    proxy.mode = 'swallow';
    await until(false);
    expect(await status(token)).toBe(200);
    await revoke(sessionId);
    expect(await status(token)).toBe(401);
  });
});
