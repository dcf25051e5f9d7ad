import { freePort } from '../../src/platform/database/embedded/postmaster.js';

/**
 * Below the ports that operating systems assign automatically (Linux from 32768), so that no other process takes
 * the port meanwhile.
 */
const [FIRST, LAST] = [20_000, 32_000];
/** More than there are workers: worker n uses every sixteenth port from n on. */
const WORKERS = 16;
const OF_A_WORKER = (LAST - FIRST) / WORKERS;

let next = Math.floor(Math.random() * OF_A_WORKER);

/** Returns a free port for a server that starts soon. No other test of this run gets it. */
export async function testPort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
  for (;;) {
    const port = FIRST + (next++ % OF_A_WORKER) * WORKERS + worker;
    if ((await freePort(port)) === port) return port;
  }
}
