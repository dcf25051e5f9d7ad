import type { Socket } from 'node:net';
import { PlatformError } from '../../../base/kernel/errors.js';
import { type Linked, LinkedSet } from '../../../base/kernel/linked-set.js';

/** Time limits of a body. */
interface BodyTimes {
  /** From the first byte to the last. */
  readonly totalMs: number;
  /** Between two chunks. */
  readonly stallMs: number;
}

/** A body that is being received. */
export interface Arrival extends Linked<Arrival> {
  readonly socket: Socket;
  bytes: number;
  ticks: number;
  quietTicks: number;
  /** True while the service waits for memory. The time limits do not apply then. */
  isHeldUp: boolean;
  /** Called once when a time limit is exceeded. */
  giveUp: (error: PlatformError) => void;
}

const SHORTEST_TICK_MS = 25;
const LONGEST_TICK_MS = 1_000;

/**
 * Refuses bodies that stall or take too long. One timer checks all of them and counts ticks instead of time, so that a
 * blocked event loop does not count against clients. A body that arrives with its headers needs no timer.
 */
export class BodyArrivals {
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly pending = new LinkedSet<Arrival>();
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
      previous: undefined,
      next: undefined,
    };
    this.pending.add(arrival);
    this.timer ??= setInterval(() => this.tick(), this.tickMs).unref();
    return arrival;
  }

  end(arrival: Arrival): void {
    this.pending.delete(arrival);
  }

  private tick(): void {
    const { first } = this.pending;
    for (let arrival = first; arrival !== undefined; arrival = arrival.next) this.look(arrival);
    if (first !== undefined) return;
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
      arrival.giveUp(late(`no byte arrived for ${stallMs} ms`));
    } else if (arrival.ticks * this.tickMs >= totalMs) {
      arrival.giveUp(late(`it was not complete after ${totalMs} ms. Send it in smaller parts`));
    }
  }
}

function late(how: string): PlatformError {
  return new PlatformError('RequestTimeout', `The body did not arrive in time: ${how}. Nothing was written.`);
}
