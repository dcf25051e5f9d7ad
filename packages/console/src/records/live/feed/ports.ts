/** A change of a record as the service tells it. */
export interface RecordChange {
  /** The position of this change in the feed. */
  readonly id: string;
  readonly type: 'inserted' | 'updated' | 'deleted' | 'expired';
  readonly record_id: string;
  readonly changed_at: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** What the tabs of a browser that follow the same collection tell each other. */
export type TabMessage =
  /** A tab has begun to follow and asks who leads. */
  | { readonly kind: 'hello' }
  /**
   * The leader as it is now. After the lead changed, `from` is what the new leader knew of the leader before: a tab that
   * knows the same has missed nothing.
   */
  | {
      readonly kind: 'leader';
      readonly epoch: string;
      readonly sequence: number;
      readonly from: Place | undefined;
      readonly isConnected: boolean;
    }
  /** The next change that the leader read, and the position after it. */
  | {
      readonly kind: 'change';
      readonly epoch: string;
      readonly sequence: number;
      readonly change: RecordChange;
      readonly position: string;
    };

/** A place in the messages of one leader. */
export interface Place {
  readonly epoch: string;
  readonly sequence: number;
}

/** A stream of changes. `position` is the one after the changes that were read. */
interface ChangeStream extends AsyncIterable<RecordChange> {
  readonly position: string | undefined;
}

/** What a tab needs of the service and of the browser. */
export interface LivePorts {
  /** The present position. Its first request starts the feed of the collection. */
  readonly position: (signal: AbortSignal) => Promise<string>;
  /** The changes after a position, without a stream. */
  readonly after: (
    position: string,
    signal: AbortSignal,
  ) => Promise<{
    readonly changes: readonly RecordChange[];
    readonly next: string;
    readonly hasMore: boolean;
  }>;
  readonly stream: (
    position: string,
    signal: AbortSignal,
    onConnection: (isConnected: boolean) => void,
  ) => ChangeStream;
  readonly post: (message: TabMessage) => void;
  /** Returns the function that ends the subscription. */
  readonly onMessage: (listener: (message: TabMessage) => void) => () => void;
  /** Does the work while no other tab does it. Rejects with the reason of the signal while it waits. */
  readonly exclusively: (signal: AbortSignal, work: () => Promise<void>) => Promise<void>;
  readonly isHidden: () => boolean;
  readonly onVisibility: (listener: () => void) => () => void;
  /** Milliseconds for which a tab may be hidden before it stops to follow. */
  readonly hiddenAfter: number;
  /** Milliseconds, about, after which what failed for a passing reason is tried again. */
  readonly retryAfter: number;
  readonly newEpoch: () => string;
}

/** What a tab that follows a collection shows. */
export type LiveState = 'starting' | 'live' | 'catchingUp' | 'reconnecting' | 'paused' | 'refused';

/** What a tab does with what it learns. */
export interface LiveListener {
  /** Changes in order, each once. */
  readonly onChanges: (changes: readonly RecordChange[]) => void;
  /** Changes from here on follow; what the page read before may be older. */
  readonly onBegin: () => void;
  readonly onState: (state: LiveState, error?: unknown) => void;
}
