import { useEffect, useRef } from 'react';
import { misfitsOf } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';

/** Ctrl-Z, Ctrl-Shift-Z, Ctrl-Y and Ctrl-S, wherever the focus is; fields undo what is typed in them. */
export function useEditKeys(editing: Editing, onReview: () => void): void {
  const latest = useRef({ editing, onReview });
  latest.current = { editing, onReview };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { editing: now } = latest.current;
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const target = event.target instanceof Element ? event.target : undefined;
      const isField = target?.matches('input, textarea, select, [contenteditable]') === true;
      if (key === 's') {
        // The browser would save the page.
        event.preventDefault();
        // An editor of a value has staged it a moment ago, unless the value does not fit: then it says so.
        const isEditor = target?.closest('[data-saves]') != null;
        if (isEditor && target?.isConnected === true && target.closest('[aria-invalid="true"]') !== null)
          return;
        const { rows } = now.store.getState();
        if (misfitsOf(rows).length > 0) latest.current.onReview();
        else if (rows.size > 0 && (!isField || isEditor) && isReady(now)) now.saving.save();
        return;
      }
      if (isField || (key !== 'z' && key !== 'y')) return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) now.store.redo();
      else now.store.undo();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function isReady({ saving }: Editing): boolean {
  return !saving.isPending && saving.conflicts.length === 0;
}
