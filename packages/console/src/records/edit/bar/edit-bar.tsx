import { Redo2, Undo2 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { countChanges, misfitsOf } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';
import styles from './bar.module.css';

interface EditBarProps {
  readonly editing: Editing;
  readonly onReview: () => void;
}

/** How much is not saved, and what can be done with it. Nothing is saved without its button. */
export function EditBar({ editing, onReview }: EditBarProps) {
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
