import type { Queryable } from './queryable.js';

/**
 * Interval of statements in the transaction of a lock: servers and poolers may end idle transactions
 * (`idle_in_transaction_session_timeout`). A lost lock is noticed within this time.
 */
const HEARTBEAT_MS = 2_000;

/**
 * Runs `work` while `holder`, a connection whose transaction holds a lock, is kept from being idle. When the connection
 * breaks, another instance may take the lock: then `lost` is aborted with the error of the connection.
 */
export async function withHeartbeat<T>(
  holder: Pick<Queryable, 'query'>,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const heartbeat = setInterval(() => {
    holder.query('SELECT').catch(error => lost.abort(error));
  }, HEARTBEAT_MS);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(heartbeat);
  }
}
