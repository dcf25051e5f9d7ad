// @ts-check
import { makeOrders } from './orders.mjs';

const STATUSES = ['delivered', 'shipped', 'packed', 'paid', 'cancelled'];

/**
 * @typedef {{ method: string, path: string, body?: unknown }} Request
 * @typedef {{ orders: string, single: string, bulk: string, ids: string[] }} Target paths of a server's three
 *   copies of the orders, and ids of some orders, the same orders on both servers
 * @typedef {{
 *   name: string, title: string,
 *   goal: number,
 *   service: (target: Target) => Request[],
 *   bare: (target: Target) => Request[],
 *   digest?: (body: any) => unknown,
 * }} Workload `goal` is the least ratio of requests per second to the bare server. The load generator sends the
 * requests of a workload in turn, over and over. Both servers must agree on `digest` before anything is measured.
 */

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  {
    name: 'point-read',
    title: 'Point read by id',
    goal: 0.5,
    service: ({ orders, ids }) => ids.map(id => ({ method: 'GET', path: `${orders}/data/${id}` })),
    bare: ({ orders, ids }) => ids.map(id => ({ method: 'GET', path: `${orders}/${id}` })),
    digest: body => withoutSystemFields(body.record ?? body),
  },
  {
    name: 'filtered-query',
    title: 'Newest 20 of one status',
    goal: 0.8,
    service: ({ orders }) =>
      STATUSES.map(status => ({
        method: 'POST',
        path: `${orders}/data/query`,
        body: { filter: { status }, sort: { ordered_at: -1 }, limit: 20 },
      })),
    bare: ({ orders }) =>
      STATUSES.map(status => ({ method: 'POST', path: `${orders}/query`, body: { status, limit: 20 } })),
    digest: body => (body.records ?? body).map(withoutSystemFields),
  },
  {
    name: 'single-insert',
    title: 'Single insert (the service also writes an audit event)',
    goal: 0.4,
    service: ({ single }) =>
      makeOrders(500, 7).map(records => ({ method: 'POST', path: `${single}/data`, body: { records } })),
    bare: ({ single }) => makeOrders(500, 7).map(body => ({ method: 'POST', path: single, body })),
  },
  {
    name: 'bulk-insert',
    title: 'Bulk insert of 1,000 records',
    goal: 0.6,
    service: ({ bulk }) =>
      batches().map(records => ({ method: 'POST', path: `${bulk}/data/bulk`, body: { records } })),
    bare: ({ bulk }) => batches().map(body => ({ method: 'POST', path: `${bulk}/bulk`, body })),
  },
  {
    name: 'aggregate',
    title: 'Count, sum and average by status over all records',
    goal: 0.9,
    service: ({ orders }) => [
      {
        method: 'POST',
        path: `${orders}/data/aggregate`,
        body: {
          group_by: 'status',
          steps: [
            { type: 'count', output_field: 'orders' },
            { type: 'sum', input_field: 'quantity', output_field: 'pieces' },
            { type: 'avg', input_field: 'total', output_field: 'mean' },
          ],
        },
      },
    ],
    bare: ({ orders }) => [{ method: 'POST', path: `${orders}/aggregate`, body: {} }],
    digest: body =>
      (body.results ?? body).map((/** @type {any} */ row) => ({ ...row, mean: row.mean.toFixed(6) })),
  },
];

function batches() {
  return [1, 2, 3, 4].map(seed => makeOrders(1_000, seed));
}

/** @param {Record<string, unknown>} record */
function withoutSystemFields({ _id, created_at, updated_at, ...fields }) {
  return fields;
}
