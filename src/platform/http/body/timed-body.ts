import type { IncomingMessage } from 'node:http';
import { type Deadline, isOver, timeLeft } from '../../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import type { Settings } from '../../config/settings.js';
import { keepPace, type PaceSettings, STALL_MS } from '../transfer-pace.js';

export type TransferSettings = PaceSettings & Pick<Settings, 'TRANSFER_MAX_SECONDS'>;

/** Time after the deadline in which a client that sends gets 503. Then the connection is closed. */
const GRACE_MS = 1_000;

/**
 * The body of a request that is read as a stream, within the limits of a transfer. Closes the connection of a client that
 * stalls, or that is slower than the minimum rate. The reader must call `end`.
 */
export class TimedBody {
  private received = 0;
  /** True while the service waits for the client. */
  private isWaiting = false;
  private readonly stopPace: () => void;
  private late: NodeJS.Timeout;

  constructor(
    private readonly request: IncomingMessage,
    private readonly settings: TransferSettings,
    private readonly endsAt: Deadline,
  ) {
    const end = () => void request.destroy();
    request.setTimeout(STALL_MS, end);
    const body = { moved: () => this.received, isWaiting: () => this.isWaiting, end };
    this.stopPace = keepPace(body, settings);
    this.late = setTimeout(() => {
      // Begins now, so that a blocked event loop does not count against the client.
      this.late = setTimeout(end, GRACE_MS);
    }, timeLeft(endsAt));
  }

  /**
   * Reads no further than its consumer asks, and keeps the request open, so that it can still be answered. Throws 503 for
   * bytes that arrive after the deadline. Bytes that the consumer leaves are discarded.
   */
  async *bytes(): AsyncGenerator<Buffer> {
    this.isWaiting = true;
    try {
      for await (const bytes of this.request.iterator({ destroyOnReturn: false })) {
        this.isWaiting = false;
        this.received += bytes.length;
        // Checked here, because text, records and statements may not follow from these bytes for as long as they arrive.
        if (isOver(this.endsAt)) throw this.tooLong();
        yield bytes;
        this.isWaiting = true;
      }
    } finally {
      this.isWaiting = false;
      this.request.resume();
    }
  }

  /** Ends the limits. */
  end(): void {
    clearTimeout(this.late);
    this.stopPace();
    this.request.setTimeout(0);
  }

  private tooLong(): PlatformError {
    const { TRANSFER_MAX_SECONDS: seconds } = this.settings;
    return new PlatformError(
      'Unavailable',
      `The request took longer than ${seconds} seconds and was ended; nothing was written. Split the file.`,
    );
  }
}
