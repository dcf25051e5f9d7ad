import type { Settings } from '../config/settings.js';

/** A connection without any traffic for this time is closed. */
export const STALL_MS = 60_000;

/** A body that is being sent or received. */
interface Transfer {
  /** Bytes so far. */
  moved(): number;
  /** True while the service waits for the client. */
  isWaiting(): boolean;
  /** Closes the connection. */
  end(): void;
}

export type PaceSettings = Pick<Settings, 'TRANSFER_MIN_BYTES_PER_SECOND' | 'TRANSFER_RATE_WINDOW_SECONDS'>;

/** Number of samples per window. */
const LOOKS = 10;

/**
 * Ends a transfer when the client is slower than the minimum rate over a window. Time in which the service itself is
 * busy does not count. Returns a function that stops the check.
 */
export function keepPace(transfer: Transfer, settings: PaceSettings): () => void {
  const { TRANSFER_MIN_BYTES_PER_SECOND: rate, TRANSFER_RATE_WINDOW_SECONDS: window } = settings;
  if (rate === 0) return () => undefined;
  let waited = 0;
  let from = transfer.moved();
  const timer = setInterval(
    () => {
      if (transfer.isWaiting()) waited += 1;
      if (waited < LOOKS) return;
      const moved = transfer.moved() - from;
      waited = 0;
      from += moved;
      if (moved < rate * window) transfer.end();
    },
    (window * 1_000) / LOOKS,
  );
  return () => clearInterval(timer);
}
