import type { ServerContext } from '@modelcontextprotocol/server';

/** Between two notifications: well below the time after which clients give up. */
const EVERY_MS = 1_000;

/**
 * Does work, and tells the caller every second that it still runs, if the request has a `progressToken`. How much of a
 * statement is done PostgreSQL does not say, so the progress is the number of seconds, without a total.
 */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: `Running for ${progress} s` };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
