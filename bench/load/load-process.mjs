// @ts-check
// The load generator, which runs in a process of its own. Each connection sends the next prepared request as soon
// as it has read the previous answer. It writes bytes made in advance and reads only the necessary part of an
// answer, so that it does not become the bottleneck.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/**
 * @typedef {{ port: number, connections: number, seconds: number, count?: number, status?: number,
 *   requests: Request[] }} Burst ends after `count` requests when given, else after `seconds`. Other answers than those
 *   with this status, or with any of 200 to 299, are failures
 * @typedef {Uint8Array | [before: Uint8Array, after: Uint8Array]} Request its bytes, or those around an Idempotency-Key,
 *   which is another one each time that the request is sent
 * @typedef {{ requests: number, seconds: number, p50: number, p99: number, cpuMs: number, failures: number,
 *   firstFailure?: string }} BurstResult latencies in milliseconds
 */

process.on('message', async message => {
  process.send?.(await runBurst(/** @type {Burst} */ (message)));
});

/**
 * @param {Burst} burst
 * @returns {Promise<BurstResult>}
 */
async function runBurst({ port, connections, seconds, count = Infinity, status, requests }) {
  /** @type {number[]} */
  const latencies = [];
  /** @type {string[]} */
  const failures = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  let next = 0;
  const takeRequest = () =>
    performance.now() < end && next < count ? requests[next++ % requests.length] : undefined;
  const isExpected = (/** @type {number} */ answered) =>
    status === undefined ? answered >= 200 && answered <= 299 : answered === status;
  await Promise.all(
    Array.from({ length: connections }, () =>
      keepAsking(port, takeRequest, answer => {
        latencies.push(answer.milliseconds);
        if (!isExpected(answer.status)) failures.push(answer.text());
      }),
    ),
  );
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    seconds: elapsed,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    cpuMs: (user + system) / 1000,
    failures: failures.length,
    firstFailure: failures[0],
  };
}

/**
 * Runs one connection until no request is left.
 * @param {number} port
 * @param {() => Request | undefined} takeRequest
 * @param {(answer: AnswerReader) => void} answered
 * @returns {Promise<void>}
 */
function keepAsking(port, takeRequest, answered) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const answer = new AnswerReader();
    let sentAt = 0;
    const send = () => {
      const request = takeRequest();
      if (request === undefined) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      if (request instanceof Uint8Array) socket.write(request);
      else writeWithKey(socket, request);
    };
    socket.on('connect', send);
    socket.on('data', chunk => {
      if (!answer.take(chunk)) return;
      answer.milliseconds = performance.now() - sentAt;
      answered(answer);
      answer.reset();
      send();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });
}

let keys = 0;
const KEYS_OF_PROCESS = randomUUID().slice(0, 24);

/**
 * Writes a request with a new key, which is as long as a uuid.
 * @param {import('node:net').Socket} socket
 * @param {[Uint8Array, Uint8Array]} request
 */
function writeWithKey(socket, [before, after]) {
  socket.cork();
  socket.write(before);
  socket.write(`${KEYS_OF_PROCESS}${String(keys++).padStart(12, '0')}`);
  socket.write(after);
  socket.uncork();
}

/**
 * Detects when an HTTP/1.1 answer is complete. Both servers send Content-Length; a chunked answer ends with an
 * empty chunk.
 */
class AnswerReader {
  status = 0;
  /** From sending the request to the last byte of the answer. */
  milliseconds = 0;
  /** @type {Buffer[]} */
  chunks = [];
  received = 0;
  /** Length of the whole answer in bytes; -1 while unknown. */
  expected = -1;
  isChunked = false;

  reset() {
    this.status = 0;
    this.chunks = [];
    this.received = 0;
    this.expected = -1;
    this.isChunked = false;
  }

  /**
   * @param {Buffer} chunk
   * @returns {boolean} true when the answer is complete
   */
  take(chunk) {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.status === 0) this.readHead();
    if (this.isChunked) return this.tail().equals(LAST_CHUNK);
    return this.expected >= 0 && this.received >= this.expected;
  }

  readHead() {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    const [first = EMPTY] = this.chunks;
    const headEnd = first.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = first.toString('latin1', 0, headEnd).toLowerCase();
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (length !== undefined) this.expected = headEnd + 4 + Number(length);
    else this.isChunked = true;
  }

  tail() {
    const last = this.chunks.at(-1) ?? EMPTY;
    const enough = last.length >= LAST_CHUNK.length ? last : Buffer.concat(this.chunks);
    return enough.subarray(-LAST_CHUNK.length);
  }

  text() {
    return Buffer.concat(this.chunks).toString('utf8').slice(0, 600);
  }
}

const EMPTY = Buffer.alloc(0);
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
