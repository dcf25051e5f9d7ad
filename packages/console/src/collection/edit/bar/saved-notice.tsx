import { X } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import type { Saving } from '../use-saving.js';
import styles from './bar.module.css';

interface SavedNoticeProps {
  readonly saving: Saving;
  /** Shows the new records. */
  readonly onShowNew: () => void;
}

/** Says what was saved, and takes it back. It stays until it is closed or something else is saved. */
export function SavedNotice({ saving, onShowNew }: SavedNoticeProps) {
  const { done } = saving;
  return (
    <div role="status" className={done === undefined ? 'visually-hidden' : styles.notice}>
      {done !== undefined && (
        <>
          <span>
            {t(`edit.done_${done.state}`, {
              count: done.titles.length,
              titles: done.titles.slice(0, 5).join(', '),
            })}
          </span>
          {done.state === 'saved' && done.inserted > 0 && (
            <Button onClick={onShowNew}>{t('edit.showNew', { count: done.inserted })}</Button>
          )}
          {done.inverse.length > 0 && (
            <Button disabled={saving.isPending} onClick={saving.undoSaved}>
              {t(done.state === 'deleted' ? 'edit.undoDeleted' : 'edit.undoSaved')}
            </Button>
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
