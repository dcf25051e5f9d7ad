// @ts-check
// Measures what indexes on columns and on paths do for filters, sorts and pages.
import { parseArgs } from 'node:util';
import { runService } from '../scripts/run-service.mjs';
import { asker } from './contestants.mjs';
import { openDatabase } from './database.mjs';
import { digits, machineLine, median, table, verdict, writeSection } from './results.mjs';

export const USAGE = `npm run bench -- indexes [options]
  --rows <n>    records (1000000)
  --rounds <n>  measurements of each query (60)`;

const VALUES = 1_000;

/** @param {import('./bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '60' } },
  });
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  const database = await openDatabase(directory);
  undo(database.stop);
  const service = await runService(directory, {
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
  });
  undo(service.stop);
  const ask = asker(service.url, { authorization: `Bearer ${service.bootstrap.accessToken}` });
  const { collection_id: id } = await ask('POST', '/v1/collections', {
    name: 'indexed',
    settings: { max_records: 10_000_000 },
    properties: { city: { type: 'text' }, number: { type: 'integer' }, title: { type: 'text' } },
  });
  await fill(database.client, id, rows);
  say(`${digits(rows)} records written`);
  await ask('POST', `/v1/collections/${id}/indexes`, {
    indexes: [
      ...['city', 'number', 'address.city', 'address.number'].map(name => ({ properties: [name] })),
      { properties: ['title'], kind: 'search' },
    ],
  });
  await database.client.query('VACUUM ANALYZE');
  say('indexes built');

  const queries = await queriesOf(ask, id, rows);
  const times = await measured(queries, rounds);
  const lines = queries.map(({ title, than, most }) => {
    const ms = times.get(title) ?? 0;
    const ratio = than === undefined ? undefined : ms / (times.get(than) ?? 1);
    const goal = most === undefined ? '' : than === undefined ? `≤ ${most} ms` : `≤ ${most} ×`;
    const reached = most === undefined ? '' : verdict((ratio ?? ms) <= most);
    return [title, ms.toFixed(2), ratio === undefined ? '' : `${ratio.toFixed(2)} × ${than}`, goal, reached];
  });
  const text = [
    `Milliseconds of a request, one at a time, medians of ${digits(rounds)}, with ${digits(rows)} records. Each city has ${digits(rows / VALUES)} of them. The queries take turns.`,
    '',
    table([['Query', 'ms', 'ratio', 'goal', ''], ...lines]),
    '',
    machineLine(database.version),
  ].join('\n');
  say(`\n${text}`);
  await writeSection('Indexes', text);
}

/**
 * Writes records with the same values in columns and in flexible fields, past the service, which is not measured here.
 * @param {import('pg').Client} client
 * @param {string} id
 * @param {number} rows
 */
async function fill(client, id, rows) {
  const found = await client.query('SELECT org_id, columns FROM collections WHERE id = $1', [id]);
  const [{ org_id: orgId, columns }] = found.rows;
  const plain = (/** @type {string} */ name) => name.replaceAll('-', '');
  const names = ['city', 'number', 'title'].map(name => `c${columns[name].number}`).join(', ');
  await client.query(
    `INSERT INTO org_${plain(orgId)}.c_${plain(id)} (_id, created_at, updated_at, ${names}, x)
     SELECT lpad(to_hex(n), 32, '0')::uuid, now(), now(), 'City ' || h % ${VALUES}, n * 7 % ${rows},
       'Title of the record ' || md5(n::text),
       jsonb_build_object('address', jsonb_build_object('city', 'City ' || h % ${VALUES}, 'number', n * 7 % ${rows}))
     FROM (SELECT n::bigint, abs(hashint8(n)) AS h FROM generate_series(1, ${rows}) n) generated`,
  );
}

/**
 * @typedef {object} Query
 * @property {string} title
 * @property {() => object} body
 * @property {string} [than] the query that it is compared with
 * @property {number} [most] goal: times the other query, else milliseconds
 * @property {() => Promise<unknown>} [send]
 */

/**
 * @param {ReturnType<typeof asker>} ask
 * @param {string} id
 * @param {number} rows
 * @returns {Promise<(Omit<Query, 'send'> & { send: () => Promise<unknown> })[]>}
 */
async function queriesOf(ask, id, rows) {
  const random = (/** @type {number} */ below) => Math.floor(Math.random() * below);
  const city = () => `City ${random(VALUES)}`;
  const ten = () => ({ $in: Array.from({ length: 10 }, city) });
  const hex = () => random(0xffffffff).toString(16).padStart(8, '0').slice(0, 5);
  const from = () => ({ $gte: random(rows) });
  const deep = { sort: { number: 1 }, at: Math.floor(rows * 0.9), limit: 20 };
  const { next_cursor: cursor } = await ask('POST', `/v1/collections/${id}/data/query`, deep);
  /** @type {Query[]} */
  const queries = [
    { title: 'equality, column', body: () => ({ filter: { city: city() } }) },
    {
      title: 'equality, path',
      body: () => ({ filter: { 'address.city': city() } }),
      than: 'equality, column',
      most: 3,
    },
    {
      title: '`$in` of ten, column',
      body: () => ({ filter: { city: ten() } }),
      than: 'equality, column',
      most: 4,
    },
    {
      title: '`$in` of ten, path',
      body: () => ({ filter: { 'address.city': ten() } }),
      than: 'equality, path',
      most: 4,
    },
    { title: 'range and sort, column', body: () => ({ filter: { number: from() }, sort: { number: 1 } }) },
    {
      title: 'range and sort, path',
      body: () => ({ filter: { 'address.number': from() }, sort: { 'address.number': 1 } }),
      than: 'range and sort, column',
      most: 4,
    },
    { title: '`$search` of few hits', body: () => ({ filter: { title: { $search: hex() } } }), most: 20 },
    { title: 'page 1, by id', body: () => ({}) },
    {
      title: 'record 50,000 by number, by id',
      body: () => ({ page: 2_500 }),
      than: 'page 1, by id',
      most: 10,
    },
    { title: 'page 1, by a column', body: () => ({ sort: { number: 1 } }) },
    {
      title: 'record 50,000 by number, by a column',
      body: () => ({ sort: { number: 1 }, page: 2_500 }),
      than: 'page 1, by a column',
      most: 10,
    },
    { title: 'first page with a cursor', body: () => ({ sort: { number: 1 }, cursor: '' }) },
    {
      title: 'page with a cursor after nine tenths',
      body: () => ({ sort: { number: 1 }, cursor }),
      than: 'first page with a cursor',
      most: 1.3,
    },
  ];
  return queries.map(query => ({
    ...query,
    send: () => ask('POST', `/v1/collections/${id}/data/query`, { limit: 20, ...query.body() }),
  }));
}

/**
 * Medians in milliseconds. The first rounds, in which statements are prepared and pages are read from the disk, do not
 * count.
 * @param {readonly { title: string, send: () => Promise<unknown> }[]} queries
 * @param {number} rounds
 */
async function measured(queries, rounds) {
  /** @type {Map<string, number[]>} */
  const times = new Map(queries.map(({ title }) => [title, []]));
  for (let round = -10; round < rounds; round++) {
    for (const { title, send } of queries) {
      const start = performance.now();
      await send();
      if (round >= 0) times.get(title)?.push(performance.now() - start);
    }
  }
  return new Map([...times].map(([title, each]) => [title, median(each)]));
}
