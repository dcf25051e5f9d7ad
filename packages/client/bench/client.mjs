// Measures the time that the client itself takes, with a fetch that answers at once: node packages/client/bench/client.mjs
// Build first: npm run build -w packages/client. Prints medians.
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createClient } from '../dist/index.js';

const record = {
  _id: '01a1fc51-5453-7bc3-837a-7f9d613e13b7',
  created_at: '2026-11-21T04:15:50.871Z',
  updated_at: '2026-11-21T04:15:50.871Z',
  title: 'Emma',
  year: 1815,
};
const headers = new Headers({ 'content-type': 'application/json', etag: '"1"' });

/** A client whose requests are answered with this body. */
function clientOf(body) {
  const text = JSON.stringify(body);
  const fetch = async () => ({ ok: true, status: 200, headers, text: async () => text });
  return createClient({ url: 'http://127.0.0.1:3000', key: 'iak_x', fetch }).collection('books');
}

/** The median of so many measurements, each of `calls` calls, in microseconds per call. */
async function median(measurements, calls, work) {
  const times = [];
  for (let n = 0; n < measurements; n += 1) {
    const began = performance.now();
    for (let call = 0; call < calls; call += 1) await work();
    times.push(((performance.now() - began) * 1000) / calls);
  }
  return times.sort((a, b) => a - b)[measurements >> 1];
}

const page = clientOf({ count: 1, records: [record] });
const one = clientOf({ found: true, record });
const hundred = clientOf({ count: 100, records: Array(100).fill(record), next_cursor: null });
const insert = clientOf({ inserted_count: 1, ids: [record._id] });
const bulk = clientOf({ inserted: 5000 });
const filter = { year: { $gt: 1900 }, $or: [{ tags: 'novel' }, { title: { $regex: '^E' } }] };
const books = Array.from({ length: 5000 }, (_, year) => ({ title: `Book ${year}`, year, tags: ['novel'] }));

/** What a program without this client does: for comparison. */
const bare = async () => {
  const response = { text: async () => JSON.stringify({ count: 1, records: [record] }) };
  return JSON.parse(await response.text());
};

const lines = [
  ['get', await median(2000, 100, () => one.get(record._id))],
  ['find().first()', await median(2000, 100, () => page.first(filter))],
  ['find().toArray() of 100 records', await median(2000, 10, () => hundred.find(filter).toArray())],
  ['insert', await median(2000, 50, () => insert.insert({ title: 'Emma' }))],
  ['only the body of a read', await median(2000, 100, bare)],
];
// In turns, so that both meet the same machine.
const [ours, plain] = [[], []];
for (let n = 0; n < 1000; n += 1) {
  ours.push((await median(1, 1, () => bulk.bulk(books))) / books.length);
  plain.push((await median(1, 1, async () => JSON.stringify({ records: books }))) / books.length);
}
const middle = times => times.sort((a, b) => a - b)[times.length >> 1];
lines.push(['a record of bulk, beside JSON.stringify', middle(ours) - middle(plain)]);
for (const [name, us] of lines) process.stdout.write(`${us.toFixed(2).padStart(8)} µs  ${name}\n`);
