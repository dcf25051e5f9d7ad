import { client } from '../../../api/client.js';
import type { LivePorts, RecordChange, TabMessage } from './ports.js';

/** A tab that is hidden for less keeps its stream, so that switching between tabs costs nothing. */
const HIDDEN_AFTER_MS = 5_000;
const RETRY_AFTER_MS = 4_000;
/** The most changes of one answer. After more, the page is read anew. */
const MOST_CHANGES = 1_000;

interface ChangeList {
  readonly changes: readonly RecordChange[];
  readonly next_since: string;
  readonly has_more: boolean;
}

/**
 * What a tab needs of this browser and of the service. Tabs of the same person and collection share a channel and a lock.
 * Without the Web Locks API, which needs https or localhost, every tab has a stream of its own.
 */
export function browserPorts(person: string, collection: string): LivePorts & { readonly close: () => void } {
  const name = `live ${person} ${collection}`;
  const channel = new BroadcastChannel(name);
  const locks: LockManager | undefined = navigator.locks;
  const changes = client.collection(collection);
  return {
    position: signal => changes.position({ signal }),
    after: async (since, signal) => {
      const path = `/v1/collections/${encodeURIComponent(collection)}/changes`;
      const query = { since, limit: MOST_CHANGES };
      const list = await client.transport.request<ChangeList>({ method: 'GET', path, query, signal });
      return { changes: list.changes, next: list.next_since, hasMore: list.has_more };
    },
    stream: (since, signal, onConnection) => {
      const feed = changes.changes({ since, signal, onConnection });
      return feed as typeof feed & AsyncIterable<RecordChange>;
    },
    post: message => channel.postMessage(message),
    onMessage: listener => {
      const told = ({ data }: MessageEvent<TabMessage>) => listener(data);
      channel.addEventListener('message', told);
      return () => channel.removeEventListener('message', told);
    },
    exclusively: async (signal, work) => {
      if (locks === undefined) await work();
      else await locks.request(name, { signal }, work);
    },
    isHidden: () => document.hidden,
    onVisibility: listener => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    hiddenAfter: HIDDEN_AFTER_MS,
    retryAfter: RETRY_AFTER_MS,
    newEpoch: () => String(crypto.getRandomValues(new Uint32Array(2))),
    close: () => channel.close(),
  };
}
