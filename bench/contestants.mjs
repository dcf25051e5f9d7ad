// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, runService, serviceCommand } from '../scripts/run-service.mjs';
import { makeOrders, mulberry32, ORDER_COLUMNS, ORDER_INDEX } from './orders.mjs';

const BARE_SERVER = fileURLToPath(new URL('bare-server.mjs', import.meta.url));
const LOAD_BATCH = 1_000;
/** Orders that are updated. */
const UPDATED = 5_000;
const SAMPLE = 2_000;
const MAX_RECORDS = 10_000_000;
/** Clock ticks of /proc per second: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * A running server that holds the orders.
 * @typedef {{ name: 'service' | 'bare', port: number, pid: number, headers: Record<string, string>,
 *   target: import('./workloads/list.mjs').Target, stop: () => Promise<void> }} Contestant
 */

/**
 * @param {string} databaseUrl
 * @param {string} directory
 * @param {Pick<import('./workloads/options.mjs').Options, 'credential' | 'rows' | 'profile'>} options
 * @returns {Promise<Contestant>}
 */
export async function startService(databaseUrl, directory, { credential, rows, profile }) {
  const service = await runService(
    directory,
    {
      DATABASE_URL: databaseUrl,
      DATA_DIR: directory,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'info',
    },
    serviceCommand(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]),
  );
  const headers = await credentialHeaders(service.bootstrap, credential);
  const ask = asker(service.url, headers);
  const names = ['orders', 'orders_single', 'orders_bulk', 'orders_updated', 'orders_without_history'];
  const made = names.map(name =>
    ask('POST', '/v1/collections', {
      name,
      settings: {
        max_records: MAX_RECORDS,
        ...(name === 'orders_without_history' && { history_days: 0 }),
      },
      properties: ORDER_COLUMNS,
      indexes: [{ properties: ORDER_INDEX }],
    }),
  );
  const [orders = '', single = '', bulk = '', updated = '', unkept = ''] = (await Promise.all(made)).map(
    ({ collection_id }) => `/v1/collections/${collection_id}`,
  );
  const load = async (/** @type {string} */ collection, /** @type {number} */ count) => {
    await inBatches(count, records => ask('POST', `${collection}/data/bulk`, { records }));
    return sampleIds(count, async numbers => {
      const { records } = await ask('POST', `${collection}/data/query`, {
        filter: { order_number: { $in: numbers } },
        fields: { order_number: 1 },
        limit: 100,
      });
      return records;
    });
  };
  const ids = await load(orders, rows);
  const updatedIds = await load(updated, UPDATED);
  const unkeptIds = await load(unkept, UPDATED);
  const target = { orders, single, bulk, updated, unkept, ids, updatedIds, unkeptIds };
  return {
    name: 'service',
    port: portOf(service.url),
    pid: service.pid,
    headers,
    target,
    stop: service.stop,
  };
}

/**
 * @param {string} databaseUrl
 * @param {import('pg').Client} database
 * @param {import('./workloads/options.mjs').Options} options
 * @returns {Promise<Contestant>}
 */
export async function startBareServer(databaseUrl, database, { rows }) {
  const port = await freePort();
  const child = fork(BARE_SERVER, { env: { DATABASE_URL: databaseUrl, PORT: String(port) } });
  const stop = async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGTERM')) await exited;
  };
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([status]) => {
      throw new Error(`the bare server exited with status ${status}`);
    }),
  ]);
  const ask = asker(`http://127.0.0.1:${port}`, {});
  await inBatches(rows, records => ask('POST', '/orders/bulk', records));
  const ids = await sampleIds(rows, async numbers => {
    const found = await database.query(
      'SELECT _id, order_number FROM bare.orders WHERE order_number = ANY($1)',
      [numbers],
    );
    return found.rows;
  });
  const target = {
    orders: '/orders',
    single: '/orders_single',
    bulk: '/orders_bulk',
    updated: '',
    unkept: '',
    ids,
    updatedIds: [],
    unkeptIds: [],
  };
  return { name: 'bare', port, pid: Number(child.pid), headers: {}, target, stop };
}

/**
 * CPU time of a process in milliseconds, measured in the same way for both servers; proc(5), fields 14 and 15.
 * @param {number} pid
 * @returns {Promise<number>} NaN where there is no /proc
 */
export async function cpuMilliseconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/**
 * @param {import('../scripts/run-service.mjs').Bootstrap} bootstrap
 * @param {'token' | 'key' | 'jwt'} kind
 * @returns {Promise<Record<string, string>>}
 */
async function credentialHeaders({ accessToken, orgApiKey, signInUrl }, kind) {
  if (kind === 'key') return { 'x-platform-api-key': orgApiKey };
  if (kind === 'token') return { authorization: `Bearer ${accessToken}` };
  const signedIn = await fetch(signInUrl, { redirect: 'manual' });
  const jwt = /access-token=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1];
  if (jwt === undefined) throw new Error(`the sign-in link answered ${signedIn.status} without a session`);
  return { authorization: `Bearer ${jwt}` };
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {(method: string, path: string, body?: unknown) => Promise<any>}
 */
export function asker(url, headers) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
}

/**
 * @param {number} rows
 * @param {(orders: object[]) => Promise<unknown>} insert
 */
async function inBatches(rows, insert) {
  const orders = makeOrders(rows, 42);
  for (let start = 0; start < rows; start += LOAD_BATCH)
    await insert(orders.slice(start, start + LOAD_BATCH));
}

/**
 * The ids of the same randomly chosen orders, in the same order, on either server.
 * @param {number} rows
 * @param {(numbers: string[]) => Promise<{ _id: string, order_number: string }[]>} find
 */
async function sampleIds(rows, find) {
  const random = mulberry32(99);
  const orders = makeOrders(rows, 42);
  const numbers = Array.from({ length: Math.min(SAMPLE, rows) }, () => {
    return orders[Math.floor(random() * rows)]?.order_number ?? '';
  });
  /** @type {Map<string, string>} */
  const ids = new Map();
  for (let start = 0; start < numbers.length; start += 100) {
    for (const { order_number, _id } of await find(numbers.slice(start, start + 100)))
      ids.set(order_number, _id);
  }
  return numbers.map(number => {
    const id = ids.get(number);
    if (id === undefined) throw new Error(`order ${number} was loaded but cannot be found`);
    return id;
  });
}

/** @param {string} url */
function portOf(url) {
  return Number(new URL(url).port);
}
