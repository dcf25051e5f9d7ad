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
      const isField =
        event.target instanceof Element && event.target.matches('input, textarea, select, [contenteditable]');
      if (key === 's') {
        // The browser would save the page.
        event.preventDefault();
        const { rows } = now.state;
        if (misfitsOf(rows).length > 0) latest.current.onReview();
        else if (rows.size > 0 && !isField && isReady(now)) now.saving.save();
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
