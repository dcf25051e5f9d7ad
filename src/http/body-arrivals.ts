import type { Socket } from 'node:net';
import { PlatformError } from '../kernel/errors.js';

/** How long a body may take. */
export interface BodyTimes {
  /** From its first byte to its last. */
  readonly totalMs: number;
  /** Between two pieces of it. */
  readonly stallMs: number;
}

/** A body on its way. */
export interface Arrival {
  readonly socket: Socket;
  bytes: number;
  ticks: number;
  quietTicks: number;
  /** It waits for memory: its client is not late. */
  isHeldUp: boolean;
  /** Called once when the body is late. */
  giveUp: (error: PlatformError) => void;
}

const SHORTEST_TICK_MS = 25;
const LONGEST_TICK_MS = 1_000;

/**
 * Gives up bodies that stall or take too long. One timer looks at all that are on their way, and counts ticks: a stalled
 * event loop makes no client late, and a body that comes with its head costs no timer.
 */
export class BodyArrivals {
  private readonly pending = new Set<Arrival>();
  private readonly tickMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly times: BodyTimes) {
    const shortest = Math.min(times.stallMs, times.totalMs) / 4;
    this.tickMs = Math.min(LONGEST_TICK_MS, Math.max(SHORTEST_TICK_MS, shortest));
  }

  begin(socket: Socket): Arrival {
    const arrival: Arrival = {
      socket,
      bytes: socket.bytesRead,
      ticks: 0,
      quietTicks: 0,
      isHeldUp: false,
      giveUp: () => undefined,
    };
    this.pending.add(arrival);
    this.timer ??= setInterval(() => this.tick(), this.tickMs).unref();
    return arrival;
  }

  end(arrival: Arrival): void {
    this.pending.delete(arrival);
  }

  private tick(): void {
    for (const arrival of this.pending) this.look(arrival);
    if (this.pending.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(arrival: Arrival): void {
    if (arrival.isHeldUp) return;
    const { bytesRead } = arrival.socket;
    arrival.ticks += 1;
    arrival.quietTicks = bytesRead === arrival.bytes ? arrival.quietTicks + 1 : 0;
    arrival.bytes = bytesRead;
    const { totalMs, stallMs } = this.times;
    if (arrival.quietTicks * this.tickMs >= stallMs) {
      arrival.giveUp(late(`nothing of it came for ${stallMs} ms`));
    } else if (arrival.ticks * this.tickMs >= totalMs) {
      arrival.giveUp(late(`it was not complete after ${totalMs} ms. Send it in smaller parts`));
    }
  }
}

function late(how: string): PlatformError {
  return new PlatformError('RequestTimeout', `The body did not arrive in time: ${how}. Nothing was written.`);
}
