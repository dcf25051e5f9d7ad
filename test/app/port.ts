import { freePort } from '../../src/database/embedded/free-port.js';

/** Below the ports that systems hand out by themselves (Linux from 32768 on), so that nothing else gets one meanwhile. */
const [FIRST, LAST] = [20_000, 32_000];
/** More than there are workers: each has every sixteenth port. */
const WORKERS = 16;
const OF_A_WORKER = (LAST - FIRST) / WORKERS;

let next = Math.floor(Math.random() * OF_A_WORKER);

/** A port for a server that is started in a moment: free, and given to nobody else of this run. */
export async function testPort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
  for (;;) {
    const port = FIRST + (next++ % OF_A_WORKER) * WORKERS + worker;
    if ((await freePort(port)) === port) return port;
  }
}
