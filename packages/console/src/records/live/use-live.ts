import { useQuery } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { sessionEnded } from '../../api/page-flags.js';
import { meQuery } from '../../api/session.js';
import { browserPorts } from './feed/browser-ports.js';
import { LiveTab } from './feed/live-tab.js';
import type { LiveState, RecordChange } from './feed/ports.js';
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
