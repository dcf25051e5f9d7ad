import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { EmptyState } from '../../../ui/states/empty-state.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { NewRecordDialog } from '../form/new-record-dialog.js';
import { misfitsOf, NO_ROWS, type StagedRow } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';
import styles from './review.module.css';
import { StagedRecord } from './staged-record.js';

/** Records that are listed at once. */
const SHOWN = 100;

interface ReviewDialogProps {
  readonly info: CollectionInfo;
  readonly editing: Editing;
  readonly onClose: () => void;
}

/** Every unsaved change, with what the service refused, to give up or to save. */
export function ReviewDialog({ info, editing, onClose }: ReviewDialogProps) {
  const { store, state, saving } = editing;
  const { rows, refusals } = state;
  const [changed, setChanged] = useState<StagedRow>();
  const list = [...rows.values()];
  const isWrong = misfitsOf(rows).length > 0;
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={t('edit.unsaved')}
      shape="panel"
      footer={
        <>
          <Button disabled={rows.size === 0} onClick={() => store.change(() => NO_ROWS)}>
            {t('edit.discardAll')}
          </Button>
          <Button
            look="primary"
            disabled={rows.size === 0 || isWrong || saving.isPending}
            onClick={() => {
              saving.save();
              onClose();
            }}
          >
            {t('edit.save')}
          </Button>
        </>
      }
    >
      {saving.error !== undefined && <ErrorBox error={saving.error} />}
      {isWrong && <p className={`${styles.intro} ${styles.wrong}`}>{t('edit.cannotSave')}</p>}
      {list.length === 0 && <EmptyState title={t('edit.nothing')} />}
      <ul className={styles.records}>
        {list.slice(0, SHOWN).map(row => (
          <StagedRecord
            key={row.id}
            {...{ row, store }}
            refusal={refusals.get(row.id)}
            onChange={row.kind === 'inserted' ? () => setChanged(row) : undefined}
          />
        ))}
      </ul>
      {list.length > SHOWN && <p>{t('edit.more', { count: list.length - SHOWN })}</p>}
      {changed !== undefined && (
        <NewRecordDialog {...{ info, editing }} row={changed} onClose={() => setChanged(undefined)} />
      )}
    </Dialog>
  );
}
