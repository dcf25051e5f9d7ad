import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { serviceUnreachable, sessionEnded, useFlag } from '../../api/page-flags.js';
import type { LoadPage } from './page-slot.js';
import { RecordWindow } from './record-window.js';
import { type WindowState } from './window-state.js';

/**
 * The window of the grid. `list` names the list: another name begins it anew; with the same name another `load` reads the
 * pages again where they are, for example with other columns.
 */
export function useRecordWindow(): { window: RecordWindow; state: WindowState } {
  const [window] = useState(() => new RecordWindow());
  const state = useSyncExternalStore(window.subscribe, window.getState);
  return { window, state };
}

export function useOpenList(window: RecordWindow, list: string, load: LoadPage): void {
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (opened.current === list) window.refresh(load);
    else void window.open(load);
    opened.current = list;
  }, [window, list, load]);
  useEffect(() => () => window.close(), [window]);
  // What failed because the session ended or the service was away is read again afterwards.
  const isAway = [useFlag(sessionEnded), useFlag(serviceUnreachable)].includes(true);
  useEffect(() => {
    if (!isAway && window.getState().error !== undefined) window.retry();
  }, [window, isAway]);
}
