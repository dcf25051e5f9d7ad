// @ts-check

/**
 * @typedef {import('./laboratory.mjs').Laboratory} Laboratory
 * @typedef {import('./laboratory.mjs').Call} Call
 * @typedef {import('./plot.mjs').Point} Point
 * @typedef {{
 *   name: string, axis: string, note: string, sizes: number[],
 *   measure: (laboratory: Laboratory, sizes: number[]) => AsyncIterable<Point>,
 * }} Dimension something that grows: `axis` names it below the plot, `note` says what was sent to what
 */

const KINDS = {
  'Point read': 'point-read',
  'Newest 20 of one status': 'filtered-query',
  'Single insert': 'single-insert',
};
const ROWS = 100_000;
/** Collections that are created by the service. Further ones are rows of the table that lists collections read. */
const REAL_COLLECTIONS = 1_000;
/** Requests to create something that are sent at once. */
const AT_ONCE = 4;

/** @type {readonly Dimension[]} */
export const DIMENSIONS = [
  {
    name: 'records',
    axis: 'records of the collection',
    note: 'One collection.',
    sizes: [10_000, 100_000, 1_000_000, 10_000_000],
    async *measure(laboratory, sizes) {
      const orders = await laboratory.newOrders('growing', 0);
      for (const size of sizes) {
        await laboratory.grow(orders, size);
        await laboratory.database.query('VACUUM ANALYZE');
        yield { size, rates: await ratesOf(laboratory, [orders]) };
      }
    },
  },
  {
    name: 'collections',
    axis: 'collections of the organization',
    note: `Lists of ten collections, and reads of records of ${REAL_COLLECTIONS} collections. Of the collections beyond ${REAL_COLLECTIONS.toLocaleString('en-US')} there are only the rows that lists read.`,
    sizes: [10, 100, 1_000, 10_000, 100_000],
    async *measure(laboratory, sizes) {
      /** @type {Call[]} */
      const reads = [];
      for (const size of sizes) {
        await addCollections(laboratory, size, reads);
        yield {
          size,
          rates: {
            'List ten, newest first': await laboratory.rate([
              get(laboratory, '/v1/collections?limit=10&sort=-created_at'),
            ]),
            'Ten with a part of the name': await laboratory.rate([
              get(laboratory, '/v1/collections?limit=10&q=many-7'),
            ]),
            'Point read': await laboratory.rate(reads),
          },
        };
      }
    },
  },
  {
    name: 'connections',
    axis: 'connections that send requests',
    note: `One collection of ${ROWS.toLocaleString('en-US')} records.`,
    sizes: [1, 8, 32, 128, 512],
    async *measure(laboratory, sizes) {
      const orders = await laboratory.newOrders('connected', ROWS);
      await laboratory.database.query('VACUUM ANALYZE');
      for (const size of sizes) yield { size, rates: await ratesOf(laboratory, [orders], size) };
    },
  },
  {
    name: 'organizations',
    axis: 'organizations that are called in turn',
    note: 'One collection of 1,000 records and one API key in each.',
    sizes: [1, 10, 100, 1_000],
    async *measure(laboratory, sizes) {
      /** @type {import('./laboratory.mjs').Orders[]} */
      const all = [];
      for (const size of sizes) {
        await inParallel(size - all.length, async () => {
          all.push(await laboratory.newOrders('orders', 1_000, await newOrganization(laboratory)));
        });
        await laboratory.database.query('ANALYZE');
        yield { size, rates: await ratesOf(laboratory, all) };
      }
    },
  },
];

/**
 * The rates of the kinds of requests, sent to these collections in turn.
 * @param {Laboratory} laboratory
 * @param {import('./laboratory.mjs').Orders[]} collections
 * @param {number} [connections]
 */
async function ratesOf(laboratory, collections, connections) {
  /** @type {Point['rates']} */
  const rates = {};
  for (const [kind, workload] of Object.entries(KINDS)) {
    /** @type {Call[][]} */
    const calls = [];
    for (const orders of collections) calls.push(await laboratory.calls(workload, orders));
    const most = collections.length === 1 ? Number.POSITIVE_INFINITY : 20;
    const inTurn = Array.from(
      { length: Math.min(most, Math.max(...calls.map(each => each.length))) },
      (_, at) => calls.flatMap(each => each[at % each.length] ?? []),
    );
    rates[kind] = await laboratory.rate(inTurn.flat(), connections);
  }
  return rates;
}

/**
 * @param {Laboratory} laboratory
 * @param {string} path
 * @returns {Call}
 */
function get({ headers }, path) {
  return { request: { method: 'GET', path }, headers };
}

/**
 * @param {Laboratory} laboratory
 * @param {number} size
 * @param {Call[]} reads gets a read of one record of each collection that the service creates
 */
async function addCollections(laboratory, size, reads) {
  await inParallel(Math.min(size, REAL_COLLECTIONS) - reads.length, async () => {
    const name = `many-${reads.length}-${Math.random().toString(36).slice(2, 10)}`;
    const { collection_id: id } = await laboratory.ask('POST', '/v1/collections', { name });
    const records = { customer: 'Ada' };
    const { ids } = await laboratory.ask('POST', `/v1/collections/${id}/data`, { records });
    reads.push(get(laboratory, `/v1/collections/${id}/data/${ids[0]}`));
  });
  await laboratory.database.query(
    `INSERT INTO collections
     SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'name', 'many-' || n, 'created_at', now()))).*
     FROM collections c, generate_series((SELECT count(*) FROM collections WHERE name LIKE 'many-%') + 1, $1::integer) n
     WHERE c.id = (SELECT id FROM collections WHERE name LIKE 'many-%' LIMIT 1)`,
    [size],
  );
  await laboratory.database.query('VACUUM ANALYZE collections');
}

/**
 * @param {Laboratory} laboratory
 * @returns {Promise<Record<string, string>>} the headers of a key of a new organization
 */
async function newOrganization(laboratory) {
  const slug = `org-${Math.random().toString(36).slice(2, 12)}`;
  await laboratory.ask('POST', '/v2/orgs', { slug, name: 'Growing' }, laboratory.userHeaders);
  const body = { slug: 'bench', name: 'Benchmark', permissions: ['*'] };
  const { apiKey } = await laboratory.ask('POST', `/v2/orgs/${slug}/api-keys`, body, laboratory.userHeaders);
  return { 'x-platform-api-key': apiKey };
}

/**
 * @param {number} count
 * @param {() => Promise<unknown>} work
 */
async function inParallel(count, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
