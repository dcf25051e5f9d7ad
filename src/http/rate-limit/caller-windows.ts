import { WINDOW_MS } from './limited.decorator.js';

/** Maximum number of callers per limit. When there are more, the caller with the oldest window is forgotten. */
const MAX_CALLERS = 50_000;

/** The current window of one caller. */
export interface CallerWindow {
  readonly startedAt: number;
  used: number;
}

/**
 * Counts requests per caller in fixed windows, in the memory of this process. There is no timer: opening a window
 * removes expired ones, so that only callers of the last minute are in memory.
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

/** A window also ends when the clock is set back, so that no caller stays locked out. */
function isOver({ startedAt }: CallerWindow, now: number): boolean {
  return now < startedAt || now >= startedAt + WINDOW_MS;
}
