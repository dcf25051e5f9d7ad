import pg from 'pg';
import type { Queryable } from '../../database/queryable.js';

/** How values are written as text, so that they are read back as what they were. */
const AS_TEXT = `
  SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 1;
  SET bytea_output = 'hex'; SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

/** Name of the connections of a backup or restore; those of a service that runs have others. */
export const APPLICATION = 'typed-collections-backup';

/** Runs `work` on a connection of its own, on which statements may take as long as they do. */
export async function withSession<T>(url: string, work: (session: Queryable) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: APPLICATION, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(AS_TEXT);
    return await work({ query: async (text, values) => (await client.query(text, values)).rows });
  } finally {
    await client.end();
  }
}
