// @ts-check
// Runs the built service in a process of its own, for the demo and the benchmark.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The first start creates a database cluster, which takes a while on a slow disk. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 50;
/**
 * The same flags as `npm start`: a larger young generation, so that fewer short-lived objects are copied before they are
 * collected, no new objects in the old generation, where each keeps the objects of its request (decision 75), and
 * a collection of garbage when the start has ended.
 */
const NODE_FLAGS = ['--max-semi-space-size=32', '--no-allocation-site-pretenuring', '--expose-gc'];
/** The service gets no other environment variables of the caller: all its settings are given here. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];

/**
 * @typedef {{ url: string, orgSlug: string, userId: string, accessToken: string, orgApiKey: string, signInUrl: string }} Bootstrap
 * @typedef {{ pid: number, readyMs: number, url: string, bootstrap: Bootstrap, stop: () => Promise<void> }} RunningService
 */

/** Builds dist/ unless it is up to date. */
export function buildIfNeeded() {
  const { status } = spawnSync(process.execPath, ['scripts/build-if-needed.mjs'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the service could not be built');
}

/**
 * What `npm start` runs.
 * @param {string[]} nodeFlags further flags of Node
 */
export function serviceCommand(nodeFlags = []) {
  return [process.execPath, ...NODE_FLAGS, ...nodeFlags, join(ROOT, 'dist/service/main.js')];
}

/**
 * Starts the built service on an empty database and waits until it is ready. Discards the service's log and
 * passes its stderr on.
 * @param {string} directory an existing scratch directory that receives the first credentials
 * @param {Record<string, string>} settings
 * @param {string[]} command
 * @returns {Promise<RunningService>}
 */
export async function runService(directory, settings, command = serviceCommand()) {
  const port = await freePort();
  const bootstrapFile = join(directory, 'bootstrap.json');
  const startedAt = performance.now();
  const child = spawn(/** @type {string} */ (command[0]), command.slice(1), {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    // The service has a process group of its own: Ctrl-C signals only this process, which then stops the service.
    detached: process.platform !== 'win32',
    env: { ...inherited(), PORT: String(port), BOOTSTRAP_FILE: bootstrapFile, ...settings },
  });
  const exited = once(child, 'exit');
  // A process group of its own survives a caller that exits without stopping it.
  // npm starts the service in its own process.
  const endWithCaller = () => {
    if (isNpm(command)) process.kill(-Number(child.pid), 'SIGTERM');
    else child.kill('SIGTERM');
  };
  process.once('exit', endWithCaller);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) endWithCaller();
    await exited;
    process.off('exit', endWithCaller);
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url, child);
    const readyMs = performance.now() - startedAt;
    return {
      readyMs,
      pid: Number(child.pid),
      url,
      bootstrap: JSON.parse(await readFile(bootstrapFile, 'utf8')),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {string[]} command */
function isNpm([program]) {
  return program === 'npm' && process.platform !== 'win32';
}

/**
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} child
 */
async function ready(url, child) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service exited with status ${child.exitCode}`);
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the service was not ready after ${READY_WITHIN_MS / 1000} s`);
}

/** @returns {Promise<number>} */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** @returns {Record<string, string>} */
function inherited() {
  const known = INHERITED.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : []));
  return Object.fromEntries(known);
}
