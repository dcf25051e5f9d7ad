import { LiveTab } from './live-tab.js';
import type { LivePorts, LiveState, RecordChange, TabMessage } from './ports.js';

/** Lets everything go on that can. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await pause();
}

/** Lets go on what waits for nothing. */
export function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

/** A service with one collection, for tests. A position is the number of changes before it. */
export class FakeService {
  readonly changes: RecordChange[] = [];
  /** Requests by kind, in order. */
  readonly requests: ('position' | 'after' | 'stream')[] = [];
  streams = 0;
  /** What requests fail with. */
  failure: Error | undefined;
  /** Changes before this position are no longer kept. */
  keptFrom = 0;
  expired: Error | undefined;
  pageSize = 1_000;
  private readonly listeners = new Set<() => void>();

  write(type: RecordChange['type'] = 'inserted'): string {
    const id = `change ${this.changes.length + 1}`;
    const record_id = `record ${this.changes.length + 1}`;
    this.changes.push({
      id,
      type,
      record_id,
      changed_at: '2026-01-31T09:30:00.250Z',
      record: { _id: record_id },
    });
    for (const listener of this.listeners) listener();
    return id;
  }

  /** Ends every stream with a failure. */
  break(error: Error): void {
    this.failure = error;
    for (const listener of this.listeners) listener();
  }

  check(kind: (typeof this.requests)[number], position?: string): void {
    this.requests.push(kind);
    if (this.failure !== undefined) throw this.failure;
    if (this.expired !== undefined && position !== undefined && Number(position) < this.keptFrom)
      throw this.expired;
  }

  async *stream(since: string, signal: AbortSignal, told: { position: string }) {
    this.streams += 1;
    try {
      for (let at = Number(since); !signal.aborted; ) {
        if (this.failure !== undefined) throw this.failure;
        const change = this.changes[at];
        if (change === undefined) await this.next(signal);
        else {
          at += 1;
          told.position = String(at);
          yield change;
        }
      }
    } finally {
      this.streams -= 1;
    }
  }

  private next(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        this.listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.listeners.add(done);
      signal.addEventListener('abort', done);
    });
  }
}

/** The tabs of one browser, for tests. Messages arrive later, in order; the lock goes to those who wait, in order. */
export class FakeBrowser {
  readonly tabs: FakeTab[] = [];
  private held = false;
  private readonly waiting: (() => void)[] = [];

  constructor(readonly service: FakeService) {}

  open(): FakeTab {
    const tab = new FakeTab(this);
    this.tabs.push(tab);
    return tab;
  }

  deliver(from: FakeTab, message: TabMessage): void {
    setTimeout(() => {
      for (const tab of this.tabs) if (tab !== from) for (const listener of tab.listeners) listener(message);
    });
  }

  async exclusively(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    if (this.held) {
      await new Promise<void>((resolve, reject) => {
        this.waiting.push(resolve);
        signal.addEventListener('abort', () => {
          const place = this.waiting.indexOf(resolve);
          if (place < 0) return;
          this.waiting.splice(place, 1);
          reject(signal.reason);
        });
      });
    }
    this.held = true;
    try {
      signal.throwIfAborted();
      await work();
    } finally {
      this.held = false;
      this.waiting.shift()?.();
    }
  }
}

export class FakeTab {
  readonly listeners = new Set<(message: TabMessage) => void>();
  /** The ids of the changes that the tab was told, in order. */
  readonly told: string[] = [];
  readonly states: LiveState[] = [];
  /** The number of changes before the position from which the tab follows. */
  begun = 0;
  error: unknown;
  isHidden = false;
  private readonly watchers = new Set<() => void>();
  private readonly closing = new AbortController();
  readonly end: Promise<void>;

  constructor(private readonly browser: FakeBrowser) {
    const tab = new LiveTab(this.ports(), {
      onChanges: changes => this.told.push(...changes.map(({ id }) => id)),
      onBegin: () => {
        this.told.length = 0;
      },
      onState: (state, error) => {
        this.states.push(state);
        this.error = error;
      },
    });
    this.end = tab.run(this.closing.signal);
  }

  close(): void {
    this.closing.abort();
    this.listeners.clear();
  }

  show(isShown: boolean): void {
    this.isHidden = !isShown;
    for (const watcher of [...this.watchers]) watcher();
  }

  get state(): LiveState | undefined {
    return this.states.at(-1);
  }

  private ports(): LivePorts {
    const { service } = this.browser;
    return {
      position: async () => {
        service.check('position');
        this.begun = service.changes.length;
        return String(service.changes.length);
      },
      after: async position => {
        service.check('after', position);
        const changes = service.changes.slice(Number(position));
        const page = changes.slice(0, service.pageSize);
        const next = String(Number(position) + page.length);
        return { changes: page, next, hasMore: changes.length > page.length };
      },
      stream: (position, signal, onConnection) => {
        const told = { position };
        service.check('stream', position);
        queueMicrotask(() => onConnection(true));
        const changes = service.stream(position, signal, told);
        return {
          get position() {
            return told.position;
          },
          [Symbol.asyncIterator]: () => changes,
        };
      },
      post: message => this.browser.deliver(this, message),
      onMessage: listener => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      exclusively: (signal, work) => this.browser.exclusively(signal, work),
      isHidden: () => this.isHidden,
      onVisibility: listener => {
        this.watchers.add(listener);
        return () => this.watchers.delete(listener);
      },
      hiddenAfter: 0,
      retryAfter: 0,
      newEpoch: () => String(Math.random()),
    };
  }
}
