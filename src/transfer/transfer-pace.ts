import type { Settings } from '../config/settings.js';

/** What moves between a client and the service. */
export interface Transfer {
  /** Bytes that have moved so far. */
  moved(): number;
  /** True while the service waits for the client. */
  isWaiting(): boolean;
  /** Ends it. */
  end(): void;
}

export type PaceSettings = Pick<Settings, 'TRANSFER_MIN_BYTES_PER_SECOND' | 'TRANSFER_RATE_WINDOW_SECONDS'>;

/** Looks in a window, so that a client is not judged by one moment. */
const LOOKS = 10;

/**
 * Ends a transfer whose client is slower than the minimum rate over a window. Time in which the service itself is at work
 * does not count. Returns what stops watching.
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
