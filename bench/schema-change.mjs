// @ts-check
// Changes the schema of a large collection while requests arrive, and prints how long they waited.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runService } from '../scripts/run-service.mjs';
import { asker } from './contestants.mjs';
import { openDatabase } from './database.mjs';
import { makeOrders, mulberry32, ORDER_COLUMNS, ORDER_INDEX } from './orders.mjs';

export const USAGE = `npm run bench -- schema-change [options]
  --rows <n>  orders in the collection (1000000)
  --rate <n>  requests per second (200)
`;

const LOAD_BATCH = 1_000;
const QUIET_MS = 20_000;
const PAUSE_MS = 3_000;

/** @typedef {{ title: string, method: string, path: string, body: object }} Change */

/** @type {readonly Change[]} */
const CHANGES = [
  ['add a column', { carrier: { type: 'text' } }],
  ['make a flexible field a column', { priority: { type: 'integer' } }],
  ['convert an integer to a double', { quantity: { type: 'double' } }],
  ['nullable: false', { channel: { type: 'text', nullable: false } }],
].map(([title, properties]) => ({
  title: String(title),
  method: 'PATCH',
  path: '/schema',
  body: { properties },
}));
/** @type {Change} */
const UNIQUE = {
  title: 'unique',
  method: 'POST',
  path: '/indexes',
  body: { indexes: [{ properties: ORDER_INDEX }], uniques: [{ properties: ['order_number'] }] },
};

/**
 * An order with flexible fields, one of which becomes a column.
 * @param {number} index
 * @param {object} order
 */
function flexibleOrder(index, order) {
  return { ...order, channel: 'web', priority: index % 9, note: `note ${index % 1000}` };
}

/** @typedef {{ due: number, ms: number, status: number, kind: string }} Answer */
/** @typedef {{ url: string, headers: Record<string, string>, path: string, ids: string[] }} Target */

/**
 * Sends requests at a fixed rate: half of them read a record, a fifth a list, the others insert and update. The time of
 * a request counts from when it was due, so that a pause of the service counts for every request that was due in it.
 */
class Traffic {
  /** @type {Answer[]} */
  answers = [];
  /** The last acknowledged value of `total`, by record. @type {Map<string, number>} */
  acknowledged = new Map();
  /** Records whose last update has no answer yet. @type {Set<string>} */
  pending = new Set();
  #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  #random = mulberry32(7);
  #isStopped = false;
  #sent = 0;

  /**
   * @param {Target} target
   * @param {number} rate requests per second
   */
  constructor(target, rate) {
    this.target = target;
    this.ended = this.#run(rate);
  }

  async stop() {
    this.#isStopped = true;
    await this.ended;
    this.#agent.destroy();
  }

  /** @param {number} rate */
  async #run(rate) {
    const began = performance.now();
    /** @type {Set<Promise<unknown>>} */
    const running = new Set();
    while (!this.#isStopped) {
      const due = began + (this.#sent * 1000) / rate;
      const wait = due - performance.now();
      if (wait > 1) await sleep(wait);
      this.#sent += 1;
      const one = this.#one(due).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
  }

  /** @param {number} due */
  async #one(due) {
    const draw = this.#random();
    const id = this.target.ids[Math.floor(this.#random() * this.target.ids.length)] ?? '';
    if (draw < 0.5) return this.#ask({ due, kind: 'read' }, 'GET', `/${id}`);
    if (draw < 0.7) {
      const body = { filter: { status: 'shipped' }, sort: { ordered_at: -1 }, limit: 20 };
      return this.#ask({ due, kind: 'list' }, 'POST', '/query', body);
    }
    const total = this.#sent;
    if (draw < 0.85 || this.pending.has(id)) {
      const order = flexibleOrder(total, { ...makeOrders(1, total)[0], order_number: `NEW-${total}` });
      return this.#ask({ due, kind: 'insert' }, 'POST', '', { records: [order] });
    }
    this.pending.add(id);
    if ((await this.#ask({ due, kind: 'update' }, 'PATCH', `/${id}`, { $set: { total } })) !== 200) return;
    this.acknowledged.set(id, total);
    this.pending.delete(id);
  }

  /**
   * @param {Pick<Answer, 'due' | 'kind'>} one
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<number>} the status, 0 when the connection broke
   */
  #ask({ due, kind }, method, path, body) {
    const { url, headers, path: collection } = this.target;
    const sent = { ...headers, ...(body && { 'content-type': 'application/json' }) };
    return new Promise(resolve => {
      const done = (/** @type {number} */ status) => {
        this.answers.push({ due, kind, status, ms: performance.now() - due });
        resolve(status);
      };
      request(`${url}${collection}/data${path}`, { method, agent: this.#agent, headers: sent }, response => {
        response.resume().once('end', () => done(response.statusCode ?? 0));
      })
        .once('error', () => done(0))
        .end(body && JSON.stringify(body));
    });
  }

  /**
   * A line about the requests that were due between two times.
   * @param {number} from
   * @param {number} to
   */
  summary(from, to) {
    const some = this.answers.filter(({ due }) => due >= from && due < to);
    const times = some.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (/** @type {number} */ share) =>
      (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1);
    const refused = some.filter(({ status }) => status !== 200 && status !== 201);
    const kinds = [...new Set(refused.map(({ status, kind }) => `${kind} ${status}`))].join(', ');
    return `${some.length} requests, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${at(1)} ms, refused ${refused.length} ${kinds}`;
  }
}

/** @param {import('./bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string', default: '1000000' }, rate: { type: 'string', default: '200' } },
  });
  const rows = Number(values.rows);
  const database = await openDatabase(directory);
  undo(database.stop);
  const service = await runService(directory, {
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  });
  undo(service.stop);
  const headers = { 'x-platform-api-key': service.bootstrap.orgApiKey };
  const ask = asker(service.url, headers);
  const { collection_id } = await ask('POST', '/v1/collections', {
    name: 'orders',
    settings: { max_records: 10_000_000 },
    properties: ORDER_COLUMNS,
    indexes: [{ properties: ORDER_INDEX }],
  });
  const path = `/v1/collections/${collection_id}`;
  say(`Loading ${rows.toLocaleString('en-US')} orders …`);
  const orders = makeOrders(rows, 42);
  for (let start = 0; start < rows; start += LOAD_BATCH) {
    const records = orders
      .slice(start, start + LOAD_BATCH)
      .map((order, index) => flexibleOrder(start + index, order));
    await ask('POST', `${path}/data/bulk`, { records });
  }
  const ids = await someIds(body => ask('POST', `${path}/data/query`, body));
  await database.client.query('VACUUM ANALYZE');
  const traffic = new Traffic({ url: service.url, headers, path, ids }, Number(values.rate));
  let from = performance.now();
  await sleep(QUIET_MS);
  say(`nothing: ${traffic.summary(from, performance.now())}`);
  for (const { title, method, path: end, body } of [...CHANGES, UNIQUE]) {
    await sleep(PAUSE_MS);
    from = performance.now();
    await ask(method, path + end, body);
    let collection = await ask('GET', path);
    for (; collection.status === 'building'; collection = await ask('GET', path)) await sleep(250);
    const to = performance.now();
    const failed = collection.change?.error ? `, failed: ${collection.change.error.message}` : '';
    say(`${title}: ${((to - from) / 1000).toFixed(1)} s${failed}; ${traffic.summary(from, to)}`);
  }
  await traffic.stop();
  say(await comparedUpdates(traffic, id => ask('GET', `${path}/data/${id}`)));
}

/** @param {(body: object) => Promise<{ records: { _id: string }[] }>} query */
async function someIds(query) {
  const pages = [];
  for (let quantity = 1; quantity <= 12; quantity += 1)
    pages.push(await query({ filter: { quantity }, fields: { _id: 1 }, limit: 100 }));
  return pages.flatMap(({ records }) => records.map(({ _id }) => _id));
}

/**
 * How many records do not have the value that was acknowledged last.
 * @param {Traffic} traffic
 * @param {(id: string) => Promise<{ record: { total: number } }>} get
 */
async function comparedUpdates({ acknowledged, pending }, get) {
  const settled = [...acknowledged].filter(([id]) => !pending.has(id));
  let lost = 0;
  for (const [id, total] of settled) if ((await get(id)).record.total !== total) lost += 1;
  return `${settled.length} records with acknowledged updates, of which ${lost} have another value`;
}
