import { type Linked, LinkedSet } from '../../kernel/linked-set.js';
import type { Waiter } from './waiter.js';

/** The work of one key. `AdmissionQueue.enter` returns it, and `leave` takes it back. */
export class KeyQueue implements Linked<KeyQueue> {
  running = 0;
  readonly waiting: Waiter<KeyQueue>[] = [];
  closed: Closed | undefined;
  /** When the key was last opened, by `performance.now()`. */
  openSince = 0;
  previous: KeyQueue | undefined;
  next: KeyQueue | undefined;

  constructor(
    readonly org: Org,
    readonly key: string,
  ) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /** True when the key itself allows more work to begin. `perKey`: the work that runs at once while it is open. */
  isReady(perKey: number): boolean {
    const { running, closed } = this;
    return closed === undefined ? running < perKey : running === 0 && closed.timer === undefined;
  }
}

/** Set while the table of a key is locked. */
export interface Closed {
  /** The pause before the next probe, in milliseconds. */
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** The work of one organization. */
export class Org implements Linked<Org> {
  running = 0;
  waiting = 0;
  readonly keyQueues = new Map<string, KeyQueue>();
  /** Keys with waiting work, in the order in which they are admitted next. */
  readonly queue = new LinkedSet<KeyQueue>();
  previous: Org | undefined;
  next: Org | undefined;

  constructor(readonly id: string) {}
}
