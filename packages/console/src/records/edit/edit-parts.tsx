import { useBlocker } from '@tanstack/react-router';
import { Redo2, Undo2, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox } from '../../ui/states.js';
import { UndoButton } from '../history/undo/undo-button.js';
import { canUndo } from '../history/undo/undoable.js';
import styles from './bar/bar.module.css';
import { countChanges, misfitsOf, NO_ROWS } from './model/staged-edits.js';
import type { Changed } from './select/changed-records.js';
import { SelectionBar } from './select/selection-bar.js';
import type { Selection } from './select/use-selection.js';
import type { Editing } from './use-editing.js';
import type { Saving } from './use-saving.js';

const ReviewDialog = lazy(async () => ({
  default: (await import('./review/review-dialog.js')).ReviewDialog,
}));
const ConflictDialog = lazy(async () => ({
  default: (await import('./review/conflict-dialog.js')).ConflictDialog,
}));

interface EditPartsProps extends Changed {
  readonly selection: Selection;
  /** Shows records that were added. */
  readonly onShowNew: () => void;
}

/** What the page shows of unsaved changes besides the marks in the grid. */
export function EditParts({ selection, onShowNew, ...changed }: EditPartsProps) {
  const { info, editing } = changed;
  const [isReviewed, setReviewed] = useState(false);
  useEditKeys(editing, () => setReviewed(true));
  return (
    <>
      <SelectionBar selection={selection} changed={changed} />
      <SavedNotice info={info} onShowNew={onShowNew} saving={editing.saving} onUndone={changed.refresh} />
      <EditBar editing={editing} onReview={() => setReviewed(true)} />
      <LeaveDialog editing={editing} />
      <Suspense>
        {isReviewed && <ReviewDialog info={info} editing={editing} onClose={() => setReviewed(false)} />}
        {editing.saving.conflicts.length > 0 && <ConflictDialog editing={editing} />}
      </Suspense>
    </>
  );
}

interface EditBarProps {
  readonly editing: Editing;
  readonly onReview: () => void;
}

/** How much is not saved, and what can be done with it. Nothing is saved without its button. */
function EditBar({ editing, onReview }: EditBarProps) {
  const { store, state, saving } = editing;
  const { rows, canUndo, canRedo, refusals } = state;
  const count = countChanges(rows);
  const wrong = misfitsOf(rows).length + refusals.size;
  const isShown = count > 0 || canUndo || canRedo || saving.error !== undefined;
  return (
    <section aria-label={t('edit.unsaved')} className={isShown ? styles.bar : 'visually-hidden'}>
      <p role="status" className={styles.count}>
        {count > 0 && t('edit.count', { count })}
        {wrong > 0 && <span className={styles.wrong}> {t('edit.wrong', { count: wrong })}</span>}
      </p>
      {isShown && (
        <>
          <IconButton
            label={t('edit.undo')}
            icon={<Undo2 size={17} aria-hidden />}
            disabled={!canUndo}
            aria-keyshortcuts="Control+Z Meta+Z"
            onClick={() => store.undo()}
          />
          <IconButton
            label={t('edit.redo')}
            icon={<Redo2 size={17} aria-hidden />}
            disabled={!canRedo}
            aria-keyshortcuts="Control+Shift+Z Meta+Shift+Z"
            onClick={() => store.redo()}
          />
          <span className={styles.space} />
          <Button disabled={count === 0} onClick={onReview}>
            {t('edit.review')}
          </Button>
          <Button
            look="primary"
            disabled={count === 0 || saving.isPending}
            aria-keyshortcuts="Control+S Meta+S"
            onClick={() => (misfitsOf(rows).length > 0 ? onReview() : saving.save())}
          >
            {saving.isPending ? t('edit.saving') : t('edit.save')}
          </Button>
        </>
      )}
      {saving.error !== undefined && (
        <div className={styles.error}>
          <ErrorBox error={saving.error} />
        </div>
      )}
    </section>
  );
}

/** Asks what becomes of unsaved changes when somebody goes to another page of the console. */
function LeaveDialog({ editing }: { readonly editing: Editing }) {
  const { store, state } = editing;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    // The browser asks by itself: see useStagedStore.
    enableBeforeUnload: false,
    disabled: state.rows.size === 0,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      open
      onOpenChange={() => blocker.reset()}
      title={t('edit.leaveTitle')}
      footer={
        <>
          <Button
            look="danger"
            onClick={() => {
              store.replace(NO_ROWS);
              blocker.proceed();
            }}
          >
            {t('edit.leaveDiscard')}
          </Button>
          <Button onClick={blocker.reset}>{t('edit.leaveStay')}</Button>
          <Button look="primary" onClick={blocker.proceed}>
            {t('edit.leaveKeep')}
          </Button>
        </>
      }
    >
      <p>{t('edit.leaveText', { count: countChanges(state.rows) })}</p>
    </Dialog>
  );
}

interface SavedNoticeProps {
  readonly info: CollectionInfo;
  readonly saving: Saving;
  /** Shows the new records. */
  readonly onShowNew: () => void;
  /** Called after the write was undone by the history of the collection. */
  readonly onUndone: () => void;
}

/** The message after a write, with a button to undo it. It stays until it is closed or something else is saved. */
function SavedNotice({ info, saving, onShowNew, onUndone }: SavedNoticeProps) {
  const { done } = saving;
  const text =
    done && t(`edit.done_${done.state}`, { count: done.records, titles: done.titles.slice(0, 5).join(', ') });
  return (
    <div role="status" className={done === undefined ? 'visually-hidden' : styles.notice}>
      {done !== undefined && (
        <>
          <span>{text}</span>
          {done.state === 'saved' && done.inserted > 0 && (
            <Button onClick={onShowNew}>{t('edit.showNew', { count: done.inserted })}</Button>
          )}
          {done.inverse.length > 0 && (
            <Button disabled={saving.isPending} onClick={saving.undoSaved}>
              {t(done.state === 'deleted' ? 'edit.undoDeleted' : 'edit.undoSaved')}
            </Button>
          )}
          {done.correlationId !== undefined && done.inverse.length === 0 && canUndo(done.records, info) && (
            <UndoButton
              collectionId={info.collection_id}
              writes={{ correlationId: done.correlationId }}
              what={t(`edit.undoWhat_${done.state === 'deleted' ? 'deleted' : 'changed'}`, {
                count: done.records,
              })}
              onUndone={() => {
                saving.markUndone();
                onUndone();
              }}
            />
          )}
          <IconButton
            label={t('common.close')}
            icon={<X size={16} aria-hidden />}
            onClick={saving.forgetDone}
          />
        </>
      )}
    </div>
  );
}

/** Ctrl-Z, Ctrl-Shift-Z, Ctrl-Y and Ctrl-S, wherever the focus is; fields undo what is typed in them. */
function useEditKeys(editing: Editing, onReview: () => void): void {
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
