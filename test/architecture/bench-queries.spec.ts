import { beforeAll, describe, expect, it } from 'vitest';
import { makeOrders, ORDER_COLUMNS, ORDER_INDEX } from '../../bench/orders.mjs';
import { WORKLOADS } from '../../bench/workloads/list.mjs';
import { startApp, type TestApp } from '../harness/app.js';
import { newCollection, newHome, outcome, type TestCollection } from '../harness/collection.js';

const ROWS = 2_000;

/** How many records the queries of the benchmark read. Unlike their speed, this is the same on every machine. */
describe('the queries of the benchmark', () => {
  let app: TestApp;
  let orders: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    const indexes = [{ properties: ORDER_INDEX }];
    orders = await newCollection(app, await newHome(app), { properties: ORDER_COLUMNS, indexes });
    const all = makeOrders(ROWS, 42);
    for (let from = 0; from < ROWS; from += 1_000) {
      const body = { records: all.slice(from, from + 1_000) };
      const answer = await app.request('POST', `${orders.data}/bulk`, { ...orders.owner, body });
      expect(outcome(answer)).toEqual([201, undefined]);
    }
    await app.sql(`ANALYZE ${orders.table}`);
  });

  it('for the newest orders of a status read only the orders that they return, by the index', async () => {
    const paths = { orders: orders.path, single: '', bulk: '', updated: '', unkept: '' };
    const target = { ...paths, ids: [], updatedIds: [], unkeptIds: [] };
    const requests = WORKLOADS.find(({ name }) => name === 'filtered-query')?.service(target) ?? [];
    expect(requests.length).toBeGreaterThan(0);
    for (const { body } of requests) {
      const explained = await app.request('POST', `${orders.data}/explain`, { ...orders.owner, body });
      expect(explained.body).toMatchObject({
        index: { properties: ORDER_INDEX },
        uses_index: true,
        returned_rows: 20,
        scanned_rows: 20,
        advice: null,
      });
    }
  });
});
