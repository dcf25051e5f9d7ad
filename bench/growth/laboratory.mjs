// @ts-check
import { asker } from '../contestants.mjs';
import { requestBytes } from '../load/load-generator.mjs';
import { makeOrders, ORDER_COLUMNS, ORDER_INDEX } from '../orders.mjs';
import { WORKLOADS } from '../workloads/list.mjs';

const WARM_UP_SECONDS = 1;
/** Each call is sent so often before the measurement, so that metadata and prepared statements are in memory. */
const WARM_UP_ROUNDS = 8;
/** Limits the time for calls that are too slow to be sent so often. */
const MOST_WARM_UPS = 30;
/** Orders of one import. */
const CHUNK = 50_000;
/** Of each collection. More than the largest size, because requests insert records too. */
export const MAX_RECORDS = 20_000_000;
const SAMPLED_IDS = 2_000;

/**
 * A collection of orders, and who calls it.
 * @typedef {{ path: string, id: string, headers: Record<string, string>, rows: number }} Orders
 * @typedef {{ request: import('../workloads/list.mjs').Request, headers: Record<string, string> }} Call
 */

/** One service, its database, and the requests that are sent to it. */
export class Laboratory {
  /**
   * @param {{ url: string, bootstrap: import('../../scripts/run-service.mjs').Bootstrap }} service
   * @param {import('pg').Client} database
   * @param {import('../load/load-generator.mjs').LoadGenerator} generator
   * @param {{ seconds: number, connections: number }} options
   */
  constructor(service, database, generator, options) {
    this.service = service;
    this.database = database;
    this.generator = generator;
    this.options = options;
    /** @type {Record<string, string>} those of the first organization */
    this.headers = { 'x-platform-api-key': service.bootstrap.orgApiKey };
    /** @type {Record<string, string>} those of the first user, who may found organizations */
    this.userHeaders = { authorization: `Bearer ${service.bootstrap.accessToken}` };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   */
  ask(method, path, body, headers = this.headers) {
    return asker(this.service.url, headers)(method, path, body);
  }

  /**
   * @param {string} name
   * @param {number} rows
   * @returns {Promise<Orders>}
   */
  async newOrders(name, rows, headers = this.headers) {
    const { collection_id: id } = await this.ask(
      'POST',
      '/v1/collections',
      {
        name,
        settings: { max_records: MAX_RECORDS },
        properties: ORDER_COLUMNS,
        indexes: [{ properties: ORDER_INDEX }],
      },
      headers,
    );
    const orders = { path: `/v1/collections/${id}`, id, headers, rows: 0 };
    await this.grow(orders, rows);
    return orders;
  }

  /**
   * Imports orders until there are so many.
   * @param {Orders} orders
   * @param {number} rows
   */
  async grow(orders, rows) {
    while (orders.rows < rows) {
      const count = Math.min(CHUNK, rows - orders.rows);
      const lines = makeOrders(count, orders.rows + 1).map(order => JSON.stringify(order));
      const response = await fetch(`${this.service.url}${orders.path}/import`, {
        method: 'POST',
        headers: { ...orders.headers, 'content-type': 'application/x-ndjson' },
        body: lines.join('\n'),
      });
      if (!response.ok) throw new Error(`the import answered ${response.status} ${await response.text()}`);
      await response.text();
      orders.rows += count;
    }
  }

  /**
   * The calls of a workload of the other part of the benchmark, on these orders.
   * @param {string} name
   * @param {Orders} orders
   * @returns {Promise<Call[]>}
   */
  async calls(name, { path, id, headers }) {
    const workload = WORKLOADS.find(each => each.name === name);
    if (workload === undefined) throw new Error(`unknown workload: ${name}`);
    const ids = name === 'point-read' ? await this.sampleIds(id) : [];
    const paths = { orders: path, single: path, bulk: path, updated: path, unkept: path };
    const target = { ...paths, ids, updatedIds: ids, unkeptIds: ids };
    return workload.service(target).map(request => ({ request, headers }));
  }

  /**
   * Sends the calls in turn over and over.
   * @param {readonly Call[]} calls
   * @returns {Promise<import('./plot.mjs').Rate | undefined>} undefined when the service refused some of them
   */
  async rate(calls, connections = this.options.connections) {
    const port = Number(new URL(this.service.url).port);
    const requests = calls.map(({ request, headers }) => requestBytes(request, headers));
    const burst = { port, connections, requests };
    try {
      const warm = calls.length * WARM_UP_ROUNDS;
      for (let sent = 0, times = 0; times === 0 || (sent < warm && times < MOST_WARM_UPS); times++)
        sent += (await this.generator.run({ ...burst, seconds: WARM_UP_SECONDS })).requests;
      const { seconds } = this.options;
      const result = await this.generator.run({ ...burst, seconds });
      return { perSecond: result.requests / result.seconds, p50: result.p50, p99: result.p99 };
    } catch (error) {
      if (!/requests failed/.test(/** @type {Error} */ (error).message)) throw error;
      return undefined;
    }
  }

  /**
   * Ids of records, spread over the whole collection.
   * @param {string} collectionId
   * @returns {Promise<string[]>}
   */
  async sampleIds(collectionId) {
    const table = `c_${collectionId.replaceAll('-', '')}`;
    const found = await this.database.query('SELECT schemaname FROM pg_tables WHERE tablename = $1', [table]);
    const from = `${found.rows[0].schemaname}.${table}`;
    const { rows } = await this.database.query(
      `SELECT _id FROM ${from} ORDER BY random() LIMIT ${SAMPLED_IDS}`,
    );
    return rows.map(({ _id }) => _id);
  }
}
