import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { freshCitusDatabaseUrl } from './citus-database.js';

let ofThisWorker: Promise<string> | undefined;

/** URL of the migrated database that the test files of this worker share. The first call creates it. */
export function testDatabaseUrl(): Promise<string> {
  ofThisWorker ??= freshDatabaseUrl();
  return ofThisWorker;
}

/** URL of a migrated database that no other test uses. It is dropped at the end of the run. */
export async function freshDatabaseUrl(): Promise<string> {
  const { url, prefix, allOnCitus } = inject('testServer');
  if (allOnCitus) return freshCitusDatabaseUrl();
  const name = `${prefix}${randomBytes(4).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${prefix}template`);
  } finally {
    await client.end();
  }
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  return fresh.href;
}

type Addresses = Readonly<Partial<Record<'DATABASE_URL' | 'DATABASE_LISTEN_URL', string | undefined>>>;

/**
 * Settings that connect the service through the pooler, if the run has one. The tests themselves connect to the
 * server directly.
 */
export function throughPooler(given: Addresses): Readonly<Record<string, string>> {
  const { DATABASE_URL = '', DATABASE_LISTEN_URL = DATABASE_URL } = given;
  const { url, pooler } = inject('testServer');
  // Tests that interrupt the connection to the database go through a link of their own instead.
  if (!pooler || !DATABASE_URL.includes(`@${new URL(url).host}/`)) return {};
  return { DATABASE_URL: Object.assign(new URL(DATABASE_URL), { host: pooler }).href, DATABASE_LISTEN_URL };
}
