import { PositionExpiredError, PositionResetError, TcError } from '@typed-collections/client';
import type { LiveListener, LivePorts, Place, RecordChange, TabMessage } from './ports.js';

type ChangeMessage = Extract<TabMessage, { kind: 'change' }>;

/**
 * Follows the changes of a collection in one tab. One visible tab of the browser, the leader, has the stream; it tells
 * the others each change with a number. A tab that misses a number, and a tab that was hidden, asks the service for the
 * changes after its own position. So every tab gets every change once, whichever tab leads.
 */
export class LiveTab {
  /** The position after the changes that this tab has. */
  private position: string | undefined;
  /** What this tab has of the messages of the leader; undefined if it may have missed some. */
  private place: Place | undefined;
  private leads = false;
  private isConnected = false;
  private catchingUp: Promise<void> | undefined;
  private waiting: ChangeMessage[] = [];
  private readonly seen = new Seen();

  constructor(
    private readonly ports: LivePorts,
    private readonly listener: LiveListener,
  ) {}

  /** Follows until the signal aborts or the service refuses to go on. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.ports.isHidden()) {
        this.listener.onState('paused');
        await this.visible(signal);
        continue;
      }
      const stop = new AbortController();
      const unwatch = this.stopWhenHidden(stop);
      try {
        await this.follow(AbortSignal.any([signal, stop.signal]), error => stop.abort(error));
      } catch (error) {
        const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
        if (signal.aborted) return;
        if (reason instanceof PositionExpiredError || reason instanceof PositionResetError)
          this.position = undefined;
        else if (isPassing(reason)) await this.wait(signal);
        else if (reason !== HIDDEN) {
          this.listener.onState('refused', reason);
          return;
        }
      } finally {
        unwatch();
      }
    }
  }

  /** Follows while the tab is visible. `fail` ends it with a failure that happened while another tab leads. */
  private async follow(signal: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    const { ports, listener } = this;
    this.place = undefined;
    this.waiting = [];
    listener.onState(this.position === undefined ? 'starting' : 'catchingUp');
    // Messages that come while this tab catches up wait until it has.
    const unsubscribe = ports.onMessage(message => this.receive(message, signal, fail));
    try {
      ports.post({ kind: 'hello' });
      await this.catchUp(signal);
      await ports.exclusively(signal, () => this.lead(signal));
    } finally {
      unsubscribe();
    }
  }

  private async lead(signal: AbortSignal): Promise<void> {
    const { ports } = this;
    await this.catchingUp;
    const stream = ports.stream(this.position as string, signal, isConnected => {
      this.isConnected = isConnected;
      this.showConnection();
      this.introduce(undefined);
    });
    const from = this.place;
    this.place = { epoch: ports.newEpoch(), sequence: 0 };
    this.leads = true;
    this.introduce(from);
    try {
      for await (const change of stream) {
        const { position = change.id } = stream;
        this.place = { epoch: this.place.epoch, sequence: this.place.sequence + 1 };
        this.take([change], position);
        ports.post({ kind: 'change', ...this.place, change, position });
      }
    } finally {
      this.leads = false;
      this.isConnected = false;
      this.position = stream.position ?? this.position;
    }
  }

  private introduce(from: Place | undefined): void {
    if (!this.leads || this.place === undefined) return;
    this.ports.post({ kind: 'leader', ...this.place, from, isConnected: this.isConnected });
  }

  private receive(message: TabMessage, signal: AbortSignal, fail: (error: unknown) => void): void {
    if (message.kind === 'hello') this.introduce(undefined);
    else if (this.leads) return;
    else if (message.kind === 'leader') this.meet(message, signal, fail);
    else if (this.catchingUp !== undefined) this.waiting.push(message);
    else if (isNext(message, this.place)) this.takeMessage(message);
    else {
      this.waiting.push(message);
      this.catchUp(signal).catch(fail);
    }
  }

  /** A tab that has everything that the leader has told goes on with the next number. Any other tab catches up. */
  private meet(
    { epoch, sequence, from, isConnected }: Extract<TabMessage, { kind: 'leader' }>,
    signal: AbortSignal,
    fail: (error: unknown) => void,
  ): void {
    this.isConnected = isConnected;
    const knows = isSame(this.place, { epoch, sequence }) || (from !== undefined && isSame(this.place, from));
    this.place = { epoch, sequence };
    if (knows || this.catchingUp !== undefined) this.showConnection();
    else this.catchUp(signal).catch(fail);
  }

  /** Asks for the changes after the position of this tab, then goes on with the messages that came meanwhile. */
  private catchUp(signal: AbortSignal): Promise<void> {
    this.catchingUp ??= this.readOn(signal).finally(() => {
      this.catchingUp = undefined;
    });
    return this.catchingUp;
  }

  private async readOn(signal: AbortSignal): Promise<void> {
    const { ports, listener } = this;
    if (this.position !== undefined) {
      const { changes, next, hasMore } = await ports.after(this.position, signal);
      // After so many changes, a page that is read anew is sooner complete.
      if (hasMore) this.position = undefined;
      else this.take(changes, next);
    }
    if (this.position === undefined) {
      this.position = await ports.position(signal);
      listener.onBegin();
    }
    const waiting = this.waiting.splice(0);
    for (const message of waiting) this.takeMessage(message);
    this.showConnection();
  }

  private takeMessage({ epoch, sequence, change, position }: ChangeMessage): void {
    this.take([change], position);
    // A message that waited while the lead changed says nothing about the messages of the new leader.
    const { place } = this;
    const isLater = place === undefined || (place.epoch === epoch && place.sequence < sequence);
    if (isLater) this.place = { epoch, sequence };
  }

  /** Tells of the changes that were not taken before. Their position is after those that were. */
  private take(changes: readonly RecordChange[], position: string): void {
    const fresh = changes.filter(({ id }) => this.seen.add(id));
    if (changes.length > 0 && fresh.length === 0) return;
    this.position = position;
    if (fresh.length > 0) this.listener.onChanges(fresh);
  }

  private showConnection(): void {
    this.listener.onState(this.isConnected ? 'live' : this.leads ? 'reconnecting' : 'catchingUp');
  }

  /** Waits before it tries again what failed for a reason that passes. */
  private async wait(signal: AbortSignal): Promise<void> {
    this.listener.onState('reconnecting');
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, this.ports.retryAfter * (0.5 + Math.random()));
      signal.addEventListener('abort', done);
    });
  }

  private stopWhenHidden(stop: AbortController): () => void {
    const { ports } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unwatch = ports.onVisibility(() => {
      clearTimeout(timer);
      if (ports.isHidden()) timer = setTimeout(() => stop.abort(HIDDEN), ports.hiddenAfter);
    });
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }

  private visible(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        unwatch();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = this.ports.onVisibility(() => {
        if (!this.ports.isHidden()) done();
      });
      signal.addEventListener('abort', done);
    });
  }
}

/** The reason with which a hidden tab stops. */
const HIDDEN = new DOMException('The tab is hidden.', 'AbortError');

/** The service was not reached, or cannot answer now: also if it waited too long, or gets too many requests. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof TcError)) return false;
  return error.status === 0 || error.status >= 500 || error.status === 408 || error.status === 429;
}

function isSame(a: Place | undefined, b: Place): boolean {
  return a !== undefined && a.epoch === b.epoch && a.sequence === b.sequence;
}

function isNext({ epoch, sequence }: ChangeMessage, place: Place | undefined): boolean {
  return place !== undefined && place.epoch === epoch && place.sequence + 1 === sequence;
}

/** The last ids that were seen, to leave out what comes twice. */
class Seen {
  private readonly ids = new Set<string>();

  constructor(private readonly most = 10_000) {}

  /** True if the id is new. */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > this.most) this.ids.delete(this.ids.values().next().value as string);
    return true;
  }
}
