// @ts-check
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import pg from 'pg';

/**
 * Creates a new database for both servers: on the PostgreSQL of DATABASE_URL, else on an embedded one.
 * @param {string} directory scratch directory of the embedded server
 * @returns {Promise<{ url: string, client: pg.Client, version: string, stop: () => Promise<void> }>}
 */
export async function openDatabase(directory) {
  const server = await postgres(directory);
  const name = `bench_${randomBytes(4).toString('hex')}`;
  try {
    await once(server.url, client => client.query(`CREATE DATABASE ${name}`));
    const url = withDatabase(server.url, name);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const version = (await client.query('SHOW server_version')).rows[0].server_version;
    const stop = async () => {
      await client.end();
      await once(server.url, each => each.query(`DROP DATABASE ${name} WITH (FORCE)`));
      await server.stop();
    };
    return { url, client, version, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * @param {string} directory
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
async function postgres(directory) {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} };
  const built = '../dist/src/platform/database/embedded/embedded-postgres.js';
  const { startEmbeddedPostgres } = await import(built);
  return startEmbeddedPostgres({ dataDir: directory });
}

/**
 * @param {string} url
 * @param {(client: pg.Client) => Promise<unknown>} work
 */
async function once(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * @param {string} url
 * @param {string} name
 */
function withDatabase(url, name) {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
