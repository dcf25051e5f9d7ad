import { useQuery } from '@tanstack/react-query';
import type { LeftRecord } from '@typed-collections/client';
import { TcError } from '@typed-collections/client';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { client } from '../../api/client.js';
import { sessionEnded } from '../../api/page-flags.js';
import { meQuery } from '../../api/session.js';
import { LiveTab } from './feed/live-tab.js';
import type { LivePorts, LiveState, RecordChange, TabMessage } from './feed/ports.js';
import { ChangeApplier } from './rows/change-applier.js';
import type { LiveRecord, LiveRows } from './rows/live-rows.js';

/** The most changes that the list of recent changes keeps. */
const MOST_KEPT = 100;

/** What the records page shows of live changes, and how it switches them. */
export interface Live {
  readonly isOn: boolean;
  readonly setOn: (isOn: boolean) => void;
  /** Begins again after a failure. */
  readonly restart: () => void;
  readonly state: LiveState;
  /** Why it is refused, or why changed rows could not be read. */
  readonly error: unknown;
  /** The last changes, the newest first. */
  readonly changes: readonly RecordChange[];
  /** New records that match the filter and are not shown. */
  readonly news: number;
  readonly forgetNews: () => void;
}

interface LiveOptions<R extends LiveRecord> {
  readonly collectionId: string;
  /** The name of the list that the grid shows: new records of another list are not announced. */
  readonly list: string;
  readonly rows: LiveRows<R>;
  /** True while nothing is followed, even if it is switched on. */
  readonly isPaused: boolean;
}

/** Follows the changes of a collection while it is switched on, and applies them to the rows of the grid. */
export function useLive<R extends LiveRecord>({ collectionId, list, rows, isPaused }: LiveOptions<R>): Live {
  const { data: me } = useQuery(meQuery);
  const person = me?.id ?? me?.principal?.id ?? '';
  const [isOn, setOn] = useRemembered(`live ${collectionId}`);
  const [round, restart] = useReducer((before: number) => before + 1, 0);
  const [{ state, error }, setState] = useState<{ state: LiveState; error?: unknown }>({ state: 'starting' });
  const [changes, setChanges] = useState<readonly RecordChange[]>([]);
  const [news, setNews] = useState(0);
  const current = useRef(rows);
  useEffect(() => {
    current.current = rows;
  });
  const applier = useRef<ChangeApplier<R>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round begins again
  useEffect(() => {
    if (!isOn || isPaused || person === '') return;
    const stop = new AbortController();
    const ports = browserPorts(person, collectionId);
    const applying = new ChangeApplier<R>(
      () => current.current,
      setNews,
      failure => setState(before => ({ ...before, error: failure })),
    );
    applier.current = applying;
    const tab = new LiveTab(ports, {
      onBegin: () => current.current.refresh(),
      onChanges: told => {
        applying.apply(told);
        setChanges(before => [...told.toReversed(), ...before].slice(0, MOST_KEPT));
      },
      onState: (to, reason) => {
        if (stop.signal.aborted) return;
        if (reason instanceof TcError && reason.status === 401) sessionEnded.set(true);
        setState({ state: to, error: reason });
      },
    });
    void tab.run(stop.signal).finally(() => ports.close());
    return () => {
      stop.abort();
      applying.close();
      setChanges([]);
      setNews(0);
    };
  }, [isOn, isPaused, person, collectionId, round]);
  const forgetNews = useCallback(() => applier.current?.forgetNews(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has other new records
  useEffect(forgetNews, [list]);
  return useMemo(
    () => ({ isOn, setOn, restart, state, error, changes, news, forgetNews }),
    [isOn, setOn, state, error, changes, news, forgetNews],
  );
}

/** A switch that a reload of this tab keeps, and that no other tab gets. */
function useRemembered(key: string) {
  const [isOn, setOn] = useState(() => sessionStorage.getItem(key) === 'on');
  const remember = useCallback(
    (to: boolean) => {
      if (to) sessionStorage.setItem(key, 'on');
      else sessionStorage.removeItem(key);
      setOn(to);
    },
    [key],
  );
  return [isOn, remember] as const;
}

/** A tab that is hidden for less keeps its stream, so that switching between tabs costs nothing. */
const HIDDEN_AFTER_MS = 5_000;
const RETRY_AFTER_MS = 4_000;
/** The most changes of one answer. After more, the page is read anew. */
const MOST_CHANGES = 1_000;

interface ChangeList {
  readonly changes: readonly (RecordChange | LeftRecord)[];
  readonly next_since: string;
  readonly has_more: boolean;
}

/**
 * What a tab needs of this browser and of the service. Tabs of the same person and collection share a channel and a lock.
 * Without the Web Locks API, which needs https or localhost, every tab has a stream of its own.
 */
function browserPorts(person: string, collection: string): LivePorts & { readonly close: () => void } {
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
      // As the stream, which passes over records that have left.
      const told = list.changes.filter(change => change.type !== 'left');
      return { changes: told, next: list.next_since, hasMore: list.has_more };
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
