// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('load-process.mjs', import.meta.url));

/** Sends prepared requests to one server from another process. */
export class LoadGenerator {
  constructor() {
    this.child = fork(PROCESS, { serialization: 'advanced' });
    /** @type {Promise<never>} */
    this.ended = once(this.child, 'exit').then(() => {
      throw new Error('the load generator exited: a server closed its connections');
    });
    this.ended.catch(() => {}); // the exit is an error only to a burst in progress
  }

  /**
   * @param {import('./load-process.mjs').Burst} burst
   * @returns {Promise<import('./load-process.mjs').BurstResult>}
   */
  async run(burst) {
    this.child.send(burst);
    const [result] = await Promise.race([once(this.child, 'message'), this.ended]);
    if (result.failures > 0) {
      throw new Error(
        `${result.failures} of ${result.requests} requests failed, the first:\n${result.firstFailure}`,
      );
    }
    return result;
  }

  stop() {
    this.child.disconnect();
  }
}

/**
 * The bytes of a request; of one with an Idempotency-Key, those before and after the key.
 * @param {import('../workloads/list.mjs').Request} request
 * @param {Record<string, string>} headers
 * @returns {import('./load-process.mjs').Request}
 */
export function requestBytes({ method, path, body, isKeyed }, headers) {
  const payload = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${payload.length}`]),
  ];
  const head = `${lines.join('\r\n')}\r\n`;
  const end = Buffer.concat([Buffer.from('\r\n'), payload]);
  if (isKeyed) return [Buffer.from(`${head}Idempotency-Key: `), Buffer.concat([Buffer.from('\r\n'), end])];
  return Buffer.concat([Buffer.from(head), end]);
}
