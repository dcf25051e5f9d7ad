import { WINDOW_MS } from './limited.decorator.js';

/** Callers remembered per limit; beyond it the one whose window is oldest starts anew. */
const MAX_CALLERS = 50_000;

/** A minute of one caller. */
export interface CallerWindow {
  readonly startedAt: number;
  used: number;
}

/**
 * Requests per caller in fixed windows, in this process's memory. Nothing runs by itself: a new window pays for the
 * removal of those that are over, so that memory holds the callers of the last minute.
 */
export class CallerWindows {
  /** Oldest window first. */
  private readonly windows = new Map<string, CallerWindow>();

  constructor(private readonly maxCallers = MAX_CALLERS) {}

  /** Counts a request at `now` (milliseconds) and returns the caller's window with it. */
  count(caller: string, now: number): CallerWindow {
    let window = this.windows.get(caller);
    if (window === undefined || isOver(window, now)) window = this.open(caller, now);
    window.used++;
    return window;
  }

  get size(): number {
    return this.windows.size;
  }

  private open(caller: string, now: number): CallerWindow {
    this.windows.delete(caller);
    for (const [oldest, window] of this.windows) {
      if (!isOver(window, now) && this.windows.size < this.maxCallers) break;
      this.windows.delete(oldest);
    }
    const window = { startedAt: now, used: 0 };
    this.windows.set(caller, window);
    return window;
  }
}

/** A window also ends when the clock is set back, so that this locks out no caller. */
function isOver({ startedAt }: CallerWindow, now: number): boolean {
  return now < startedAt || now >= startedAt + WINDOW_MS;
}
