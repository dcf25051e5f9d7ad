// The clients of another organization, in a thread of their own, so that the work of the test does not delay them.
// Requests are sent at fixed times, whether or not earlier ones have been answered, so that a stall shows in all of
// the requests that it delays. Each message ends a phase; its results are posted when all its requests have ended.
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';

const { urls, data, keys, largeBytes } = workerData;
const EVERY_MS = 20;
const READINESS_EVERY = 10;
/** One request in so many has a body that counts against the memory budget. */
const LARGE_EVERY = 10;
const ANSWER_WITHIN_MS = 45_000;

const large = JSON.stringify({ records: [{ n: 3, text: 'x'.repeat(largeBytes) }] });
const ids = [];
let [turn, phase] = [0, newPhase()];

function newPhase() {
  return { times: [], failed: [], pending: new Set() };
}

function next() {
  const id = ids[turn % ids.length];
  if (largeBytes > 0 && turn % LARGE_EVERY === 0) return ['write', 'POST', data, large];
  switch (id === undefined ? 0 : turn % 4) {
    case 0:
      return ['write', 'POST', data, JSON.stringify({ records: [{ n: turn }] })];
    case 1:
      return ['read', 'GET', `${data}/${id}`];
    case 2:
      return ['read', 'POST', `${data}/query`, JSON.stringify({ filter: { n: { $gt: 1 } }, limit: 5 })];
    default:
      return ['write', 'PATCH', `${data}/${id}`, JSON.stringify({ n: turn })];
  }
}

function headers() {
  return { 'x-platform-api-key': keys[turn % keys.length], 'content-type': 'application/json' };
}

async function exchange(url, [kind, method, path, body], { times, failed }) {
  const began = performance.now();
  try {
    const answer = await fetch(url + path, {
      method,
      body: body ?? null,
      headers: headers(),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await answer.text();
    if (kind !== 'readiness') times.push(performance.now() - began);
    if (answer.status !== 200)
      failed.push({
        kind,
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        text: `${method} ${path}: ${answer.status} ${text.slice(0, 300)}`,
      });
    else if (method === 'POST' && path === data && body !== large && ids.length < 500)
      ids.push(JSON.parse(text).ids[0]);
  } catch (error) {
    failed.push({ kind, status: 0, retryAfter: null, text: `${method} ${path}: ${error.cause ?? error}` });
  }
}

function send(url, request, sent = phase) {
  const ended = exchange(url, request, sent).then(() => sent.pending.delete(ended));
  sent.pending.add(ended);
}

const timer = setInterval(() => {
  turn += 1;
  send(urls[Math.floor(turn / 4) % urls.length], next());
  if (turn % READINESS_EVERY === 0) for (const url of urls) send(url, ['readiness', 'GET', '/health/ready']);
}, EVERY_MS);

parentPort.on('message', async ({ id, isLast }) => {
  const { times, failed, pending } = phase;
  phase = newPhase();
  if (isLast) clearInterval(timer);
  await Promise.all(pending);
  parentPort.postMessage({ id, times, failed });
  if (isLast) parentPort.close();
});
