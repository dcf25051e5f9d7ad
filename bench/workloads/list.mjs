// @ts-check
import { makeOrders } from '../orders.mjs';

const STATUSES = ['delivered', 'shipped', 'packed', 'paid', 'cancelled'];
const CHANNELS = ['web', 'app', 'phone'];

/**
 * @typedef {{ method: string, path: string, body?: unknown, isKeyed?: boolean }} Request `isKeyed`: it has an
 *   Idempotency-Key, another one each time that it is sent
 * @typedef {{ orders: string, single: string, bulk: string, updated: string, unkept: string, ids: string[],
 *   updatedIds: string[], unkeptIds: string[] }} Target paths of a server's copies of the orders, ids of some of `orders`,
 *   the same orders on both servers, and ids of `updated` and of `unkept`, which keeps no history; only the service has
 *   these two
 * @typedef {{ rate: number, cpu?: number, tail?: number }} Goal the least ratio of requests per second, the greatest
 *   ratio of CPU time per request, and the greatest ratio of p99/p50
 * @typedef {{
 *   name: string, title: string, goal: Goal,
 *   service: (target: Target) => Request[],
 *   bare?: (target: Target) => Request[],
 *   against?: Workload,
 *   status?: number,
 *   digest?: (body: any) => unknown,
 * }} Workload A workload is compared with the bare server's, or with another workload of the service (`against`). The
 * load generator sends its requests in turn, over and over. Each must be answered with `status`, or with any of 200 to
 * 299. Both servers must agree on `digest` before anything is measured.
 */

const TAIL = 1.2;

/** @type {Workload} */
const POINT_READ = {
  name: 'point-read',
  title: 'Point read by id',
  goal: { rate: 1.05, cpu: 1, tail: TAIL },
  service: ({ orders, ids }) => ids.map(id => ({ method: 'GET', path: `${orders}/data/${id}` })),
  bare: ({ orders, ids }) => ids.map(id => ({ method: 'GET', path: `${orders}/${id}` })),
  digest: body => withoutSystemFields(body.record ?? body),
};

/** @type {Workload} */
const FILTERED_QUERY = {
  name: 'filtered-query',
  title: 'Newest 20 of one status',
  goal: { rate: 1.25, cpu: 0.7, tail: TAIL },
  service: ({ orders }) =>
    newestOfEach().map(body => ({ method: 'POST', path: `${orders}/data/query`, body })),
  bare: ({ orders }) =>
    STATUSES.map(status => ({ method: 'POST', path: `${orders}/query`, body: { status, limit: 20 } })),
  digest: body => (body.records ?? body).map(withoutSystemFields),
};

/** @type {Workload} */
const SINGLE_INSERT = {
  name: 'single-insert',
  title: 'Single insert (the service also writes an audit event)',
  goal: { rate: 0.85, cpu: 1.4, tail: TAIL },
  service: ({ single }) =>
    makeOrders(500, 7).map(records => ({ method: 'POST', path: `${single}/data`, body: { records } })),
  bare: ({ single }) => makeOrders(500, 7).map(body => ({ method: 'POST', path: single, body })),
};

/** @type {Workload} */
const UPDATE = {
  name: 'update',
  title: 'Update of one record',
  goal: { rate: 0.85 },
  service: ({ updated, updatedIds }) => updates(updated, updatedIds),
  against: SINGLE_INSERT,
};

/** @type {Workload} */
const BULK_INSERT = {
  name: 'bulk-insert',
  title: 'Bulk insert of 1,000 records',
  goal: { rate: 0.9, cpu: 1.5, tail: TAIL },
  service: ({ bulk }) =>
    batches().map(records => ({ method: 'POST', path: `${bulk}/data/bulk`, body: { records } })),
  bare: ({ bulk }) => batches().map(body => ({ method: 'POST', path: `${bulk}/bulk`, body })),
};

/**
 * The same writes as the official client sends them, compared with those without a key.
 * @param {string} name
 * @param {Workload} against
 * @returns {Workload}
 */
function keyed(name, against) {
  const service = (/** @type {Target} */ target) =>
    against.service(target).map(request => ({ ...request, isKeyed: true }));
  const title = `${against.title.replace(/ \(.*/, '')}, with an Idempotency-Key`;
  return { name, title, goal: { rate: 0.95 }, service, against };
}

/**
 * @param {string} orders
 * @param {object} [filter]
 */
function aggregation(orders, filter) {
  const body = {
    ...(filter !== undefined && { filter }),
    group_by: 'status',
    steps: [
      { type: 'count', output_field: 'orders' },
      { type: 'sum', input_field: 'quantity', output_field: 'pieces' },
      { type: 'avg', input_field: 'total', output_field: 'mean' },
    ],
  };
  return { method: 'POST', path: `${orders}/data/aggregate`, body };
}

/** Totals that all orders reach, so that each request reads all of them, but no two of them are equal. */
function leastTotals() {
  return Array.from({ length: 500 }, (_, index) => -index);
}

/** @param {any} body */
function digestOfGroups(body) {
  return (body.results ?? body).map((/** @type {any} */ row) => ({ ...row, mean: row.mean.toFixed(6) }));
}

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  POINT_READ,
  FILTERED_QUERY,
  SINGLE_INSERT,
  BULK_INSERT,
  {
    name: 'aggregate',
    title: 'Count, sum and average by status over all records, the same of all callers',
    goal: { rate: 1, tail: TAIL },
    service: ({ orders }) => [aggregation(orders)],
    bare: ({ orders }) => [{ method: 'POST', path: `${orders}/aggregate`, body: {} }],
    digest: digestOfGroups,
  },
  {
    name: 'aggregate-different',
    title: 'The same, with another filter each time',
    goal: { rate: 1, tail: TAIL },
    service: ({ orders }) => leastTotals().map(least => aggregation(orders, { total: { $gte: least } })),
    bare: ({ orders }) =>
      leastTotals().map(least => ({ method: 'POST', path: `${orders}/aggregate`, body: { least } })),
    digest: digestOfGroups,
  },
  UPDATE,
  keyed('keyed-insert', SINGLE_INSERT),
  keyed('keyed-update', UPDATE),
  keyed('keyed-bulk', BULK_INSERT),
  {
    ...UPDATE,
    name: 'update-history',
    title: 'Update of one record, whose history is kept',
    against: {
      ...UPDATE,
      name: 'update-without-history',
      title: 'Update of one record without history',
      service: ({ unkept, unkeptIds }) => updates(unkept, unkeptIds),
    },
  },
  {
    name: 'missing-record',
    title: '404 of a missing id',
    goal: { rate: 0.9 },
    status: 404,
    service: ({ orders, ids }) =>
      ids.map(id => ({ method: 'GET', path: `${orders}/data/00000000-${id.slice(9)}` })),
    against: POINT_READ,
  },
  {
    name: 'bad-filter',
    title: '400 of a bad filter',
    goal: { rate: 0.9 },
    status: 400,
    service: ({ orders }) =>
      STATUSES.map(status => ({
        method: 'POST',
        path: `${orders}/data/query`,
        body: { filter: { status: { $is: status } }, sort: { ordered_at: -1 }, limit: 20 },
      })),
    against: FILTERED_QUERY,
  },
  {
    name: 'mcp-query',
    title: 'MCP data_query',
    goal: { rate: 0.5 },
    service: ({ orders }) => newestOfEach().map(query => toolCall(orders, 'data_query', query)),
    against: FILTERED_QUERY,
  },
  {
    name: 'mcp-insert',
    title: 'MCP data_insert',
    goal: { rate: 0.5 },
    service: ({ single }) =>
      makeOrders(500, 7).map(records => toolCall(single, 'data_insert', { records: [records] })),
    against: SINGLE_INSERT,
  },
];

/**
 * @param {string} path of a collection
 * @param {string[]} ids
 * @returns {Request[]}
 */
function updates(path, ids) {
  return ids.map((id, index) => ({
    method: 'PATCH',
    path: `${path}/data/${id}`,
    body: { $set: { channel: CHANNELS[index % CHANNELS.length] }, $inc: { quantity: 1 } },
  }));
}

function newestOfEach() {
  return STATUSES.map(status => ({ filter: { status }, sort: { ordered_at: -1 }, limit: 20 }));
}

/**
 * @param {string} path of a collection
 * @param {string} name of the tool
 * @param {object} args
 */
function toolCall(path, name, args) {
  const collection_id = path.split('/').at(-1);
  const params = { name, arguments: { collection_id, ...args } };
  return { method: 'POST', path: '/v1/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } };
}

function batches() {
  return [1, 2, 3, 4].map(seed => makeOrders(1_000, seed));
}

/** @param {Record<string, unknown>} record */
function withoutSystemFields({ _id, created_at, updated_at, ...fields }) {
  return fields;
}
