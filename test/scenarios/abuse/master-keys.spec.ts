import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { KeyRotation } from '../../../src/features/auth/keys/key-rotation.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newCollection, type TestCollection } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type Person, person } from '../auth/person.js';
import { join, newInvite } from '../invites/invite.js';
import { CALLBACK, clientSettings } from '../oidc/client.js';
import { newKey, newOrg, type TestOrg } from '../orgs/org.js';
import { askToken, newAccount, type TestAccount } from '../service-accounts/account.js';
import { run } from '../start/service.js';

const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`;
const [OLD, NEW] = [key('old', 21), key('new', 22)];

/** The tables that store encrypted text, each by the name of its key. */
const SEALED = (name: string) =>
  new Set(
    ['signing_keys', 'sso_providers', 'webhooks', 'oidc_payloads', 'idempotency_keys', 'master_keys'].map(
      table => `${table} ${name}`,
    ),
  );

/** Every secret that clients hold when the master key of a service is replaced. */
interface Held {
  readonly org: TestOrg;
  readonly orgKey: string;
  readonly accessToken: string;
  readonly account: TestAccount;
  readonly code: string;
  readonly collection: TestCollection;
  readonly collectionKey: string;
}

let url: string;
let environment: Record<string, string>;
let app: TestApp;
let held: Held;

const start = async (SECRETS_MASTER_KEYS: string) => {
  app = await startOwnApp({ database: { url }, environment: { ...environment, SECRETS_MASTER_KEYS } });
};
const restart = async (masterKeys: string) => {
  await app.close();
  await start(masterKeys);
};
const reencrypt = (SECRETS_MASTER_KEYS: string) =>
  run('cli.js', ['secrets', 'reencrypt'], { DATABASE_URL: url, SECRETS_MASTER_KEYS });
const refusedStart = (SECRETS_MASTER_KEYS: string) =>
  run('main.js', [], { DATABASE_URL: url, SECRETS_MASTER_KEYS, PORT: '0' });

/** Sends one request twice. Its answer shows a secret and is stored encrypted. */
const collectionKey = ({ path, owner }: TestCollection) =>
  app.request('POST', `${path}/api-keys`, {
    ...owner,
    body: { slug: 'export', name: 'Export', permissions: ['collections:read'] },
    headers: { 'idempotency-key': 'one-key' },
  });

/** An authorization that waits for the person. Its details are stored encrypted. */
const authorize = () =>
  app.request(
    'GET',
    `/oidc/auth?${new URLSearchParams({
      ...{ client_id: 'console', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' },
      ...{ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' },
    })}`,
  );

async function hold(): Promise<Held> {
  const org = await newOrg(app);
  const owner = { token: org.owner.token };
  const collection = await newCollection(app, { org, owner });
  const made = [
    await app.request('POST', `${org.path}/auth/sso`, {
      ...owner,
      body: {
        ...{ slug: 'staff', name: 'Staff', type: 'oidc' },
        config: { issuer: 'https://login.example.com', client_id: 'us', client_secret: 'from-the-provider' },
      },
    }),
    await app.request('POST', `${collection.path}/webhooks`, {
      ...owner,
      body: { url: 'https://hooks.example.com/in' },
    }),
    await authorize(),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 303]);
  return {
    org,
    orgKey: (await newKey(app, org)).apiKey,
    accessToken: app.bootstrap.accessToken,
    account: await newAccount(app, org),
    code: (await newInvite(app, org, { maxUses: 10 })).code,
    collection,
    collectionKey: (await collectionKey(collection)).body.secret,
  };
}

/** Uses every secret for its purpose. */
async function useAll(newcomer: Person): Promise<number[]> {
  const me = (credential: object) => app.request('GET', '/v2/me', credential);
  const answers = [
    await me({ token: held.org.owner.token }),
    await me({ token: held.accessToken }),
    await me({ key: held.orgKey }),
    await app.request('GET', held.collection.path, { key: held.collectionKey }),
    await askToken(app, held.account),
    await join(app, newcomer, held.code),
  ];
  return answers.map(({ status }) => status);
}

/** Finds texts in the form of `Secrets.encrypt` in all tables of the database, as `table name-of-the-key`. */
async function sealedTexts(): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name, tablename FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found = new Set<string>();
    for (const { name, tablename } of tables.rows) {
      const { rows } = await client.query(`SELECT t::text AS row FROM ${name} t`);
      for (const { row } of rows) {
        for (const [, by] of row.matchAll(/\b(old|new)\.[\w-]{16}\.[\w-]{22}\.[\w-]/g)) {
          found.add(`${tablename} ${by}`);
        }
      }
    }
    return found;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  url = await freshDatabaseUrl();
  environment = clientSettings();
  await start(OLD);
  environment = { ...environment, PORT: String(app.settings.PORT) };
  held = await hold();
});
afterAll(() => app.close());

describe('replacing the master key', () => {
  it('starts with secrets that the old key encrypted', async () => {
    expect(held.collectionKey).toMatch(/^iak_/);
    expect(await sealedTexts()).toEqual(SEALED('old'));
  });

  it('does not start with a wrong key, and the failed start changes nothing', async () => {
    const { status, output } = await refusedStart(key('wrong', 29));
    expect(status).toBe(1);
    expect(output).toContain('SECRETS_MASTER_KEYS does not contain the key old');
    expect(await app.sql('SELECT name FROM master_keys')).toEqual([{ name: 'old' }]);
  });

  it('keeps all secrets valid while both keys are configured; the first encrypts and hashes', async () => {
    await restart(`${NEW},${OLD}`);
    expect(await useAll(await person(app))).toEqual([200, 200, 200, 200, 201, 201]);
    const kid = await app.nest.get(KeyRotation).publishNext(platformCall('cli'));
    const [next] = await app.sql('SELECT sealed_private_jwk FROM signing_keys WHERE kid = $1', [kid]);
    expect(next.sealed_private_jwk).toMatch(/^new\./);
    const made = await newKey(app, held.org);
    const [row] = await app.sql('SELECT secret_hash FROM org_api_keys WHERE id = $1', [made.id]);
    expect(row.secret_hash).toMatch(/^new\./);
  });

  it('refuses to start, with instructions, when the old key is removed too early', async () => {
    const { status, output } = await refusedStart(NEW);
    expect(status).toBe(1);
    expect(output).toContain('SECRETS_MASTER_KEYS does not contain the key old');
    expect(output).toContain('npm run cli -- secrets reencrypt');
    expect(output).not.toMatch(/\n\s+at /);
    expect((await reencrypt(NEW)).output).toContain('SECRETS_MASTER_KEYS does not contain the key old');
  });

  it('encrypts all values again with the command, in every table that stores encrypted text', async () => {
    expect(await reencrypt(`${NEW},${OLD}`)).toEqual({
      status: 0,
      output: expect.stringContaining(
        `re-encrypted ${SEALED('old').size} secrets; all are encrypted with new now\n`,
      ),
    });
    expect(await sealedTexts()).toEqual(SEALED('new'));
    const events = await app.sql(
      `SELECT actor, target, count FROM audit_events WHERE type = 'secrets.reencrypted'`,
    );
    expect(events).toMatchObject([
      { actor: { via: 'cli' }, target: { id: 'new' }, count: SEALED('old').size },
    ]);
    expect((await reencrypt(`${NEW},${OLD}`)).output).toContain('re-encrypted 0 secrets');
  });

  it('then allows the old key to be removed: secrets issued under it stay valid', async () => {
    await restart(NEW);
    expect(await useAll(await person(app))).toEqual([200, 200, 200, 200, 201, 201]);
    const again = await collectionKey(held.collection);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.secret).toBe(held.collectionKey);
  });

  it('refuses another key under a name that was used before', async () => {
    const { status, output } = await refusedStart(key('new', 23));
    expect(status).toBe(1);
    expect(output).toContain('SECRETS_MASTER_KEYS has a key named new that differs');
  });
});
