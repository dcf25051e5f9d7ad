import { X } from 'lucide-react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { UndoButton } from '../../history/undo/undo-button.js';
import { canUndo } from '../../history/undo/undoable.js';
import type { Saving } from '../use-saving.js';
import styles from './bar.module.css';

interface SavedNoticeProps {
  readonly info: CollectionInfo;
  readonly saving: Saving;
  /** Shows the new records. */
  readonly onShowNew: () => void;
  /** Called after the write was undone by the history of the collection. */
  readonly onUndone: () => void;
}

/** The message after a write, with a button to undo it. It stays until it is closed or something else is saved. */
export function SavedNotice({ info, saving, onShowNew, onUndone }: SavedNoticeProps) {
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
