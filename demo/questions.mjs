// @ts-check
// Each question is answered twice: `call` asks the public API, `compute` works the answer out from the files.

const MODERN_NODE = '^>= ?(18|20|22)';

/**
 * @typedef {import('./read-packages.mjs').PackageRecord} PackageRecord
 * @typedef {{
 *   title: string,
 *   call: (collection: string) => import('./client.mjs').Call,
 *   answer: (body: any) => (string | number)[][],
 *   compute: (records: PackageRecord[]) => (string | number)[][],
 * }} Question
 */

/** @type {readonly Question[]} The rows of both answers are compared in order, cell by cell. */
export const QUESTIONS = [
  {
    title: 'Number of packages per licence',
    call: collection => ({
      method: 'POST',
      path: `${collection}/data/aggregate`,
      body: {
        group_by: 'license',
        steps: [{ type: 'count', output_field: 'packages' }],
        sort: { packages: -1, license: 1 },
      },
    }),
    answer: body => body.results.map((/** @type {any} */ row) => [row.license ?? '(none)', row.packages]),
    compute: records => {
      const groups = groupBy(records, record => record.license);
      return [...groups]
        .map(([license, { length }]) => ({ license, length }))
        .sort((a, b) => b.length - a.length || byNullableText(a.license, b.license))
        .map(({ license, length }) => [license ?? '(none)', length]);
    },
  },
  {
    title: 'The ten largest packages',
    call: collection => ({
      method: 'POST',
      path: `${collection}/data/query`,
      body: { fields: { path: 1, version: 1, size_bytes: 1 }, sort: { size_bytes: -1, path: 1 }, limit: 10 },
    }),
    answer: body => body.records.map((/** @type {any} */ row) => [row.path, row.version, row.size_bytes]),
    compute: records =>
      [...records]
        .sort((a, b) => b.size_bytes - a.size_bytes || byNullableText(a.path, b.path))
        .slice(0, 10)
        .map(({ path, version, size_bytes }) => [path, version, size_bytes]),
  },
  {
    title: 'Packages without a licence',
    call: collection => ({
      method: 'POST',
      path: `${collection}/data/query`,
      body: {
        filter: { license: null },
        fields: { path: 1, version: 1 },
        sort: { path: 1 },
        limit: 100,
        with_total: true,
      },
    }),
    answer: body => listed(body.records, body.total),
    compute: records => listedFiles(records.filter(({ license }) => license === null)),
  },
  {
    title: `Packages whose engines.node matches ${MODERN_NODE}`,
    call: collection => ({
      method: 'POST',
      path: `${collection}/data/query`,
      body: {
        filter: { 'engines.node': { $regex: MODERN_NODE } },
        fields: { path: 1, version: 1 },
        sort: { path: 1 },
        limit: 100,
        with_total: true,
      },
    }),
    answer: body => listed(body.records, body.total),
    compute: records => {
      const modern = new RegExp(MODERN_NODE);
      return listedFiles(records.filter(({ engines }) => modern.test(engines?.node ?? '')));
    },
  },
  {
    title: 'Total size of development and production packages',
    call: collection => ({
      method: 'POST',
      path: `${collection}/data/aggregate`,
      body: {
        group_by: 'dev',
        steps: [
          { type: 'count', output_field: 'packages' },
          { type: 'sum', input_field: 'size_bytes', output_field: 'bytes' },
        ],
      },
    }),
    answer: body =>
      body.results.map((/** @type {any} */ row) => [row.dev ? 'dev' : 'prod', row.packages, row.bytes]),
    compute: records =>
      [...groupBy(records, ({ dev }) => dev)]
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([dev, group]) => [
          dev ? 'dev' : 'prod',
          group.length,
          group.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
        ]),
  },
];

/**
 * @param {{ path: string, version: string }[]} page
 * @param {number} total
 */
function listed(page, total) {
  return [...page.map(({ path, version }) => [path, version]), ['in all', total]];
}

/** @param {PackageRecord[]} found */
function listedFiles(found) {
  const ordered = [...found].sort((a, b) => byNullableText(a.path, b.path));
  return listed(ordered.slice(0, 100), found.length);
}

/**
 * @template Key
 * @param {PackageRecord[]} records
 * @param {(record: PackageRecord) => Key} key
 */
function groupBy(records, key) {
  /** @type {Map<Key, PackageRecord[]>} */
  const groups = new Map();
  for (const record of records) groups.set(key(record), [...(groups.get(key(record)) ?? []), record]);
  return groups;
}

/**
 * The sort order of the service: nulls first, text by code point.
 * @param {string | null} a
 * @param {string | null} b
 */
function byNullableText(a, b) {
  return Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? ''));
}
