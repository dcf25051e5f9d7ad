import { Pencil, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { EmptyState, ErrorBox } from '../../../ui/states.js';
import { ShortValue } from '../../grid/table/cell-content.js';
import { NewRecordDialog } from '../form/new-record-dialog.js';
import {
  type FieldEdit,
  misfitsOf,
  NO_ROWS,
  type StagedRow,
  withoutCell,
  withoutRow,
} from '../model/staged-edits.js';
import type { Refusal, StagedStore } from '../model/staged-store.js';
import type { Editing } from '../use-editing.js';
import styles from './review.module.css';

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
            row={row}
            store={store}
            refusal={refusals.get(row.id)}
            onChange={row.kind === 'inserted' ? () => setChanged(row) : undefined}
          />
        ))}
      </ul>
      {list.length > SHOWN && <p>{t('edit.more', { count: list.length - SHOWN })}</p>}
      {changed !== undefined && (
        <NewRecordDialog info={info} editing={editing} row={changed} onClose={() => setChanged(undefined)} />
      )}
    </Dialog>
  );
}

interface StagedRecordProps {
  readonly row: StagedRow;
  readonly refusal: Refusal | undefined;
  readonly store: StagedStore;
  /** Opens the form of a new record. */
  readonly onChange: (() => void) | undefined;
}

/** The unsaved changes of one record. */
function StagedRecord({ row, refusal, store, onChange }: StagedRecordProps) {
  const { id, kind, title, fields } = row;
  const name = kind === 'inserted' ? t('edit.newRecordNamed', { title }) : title;
  return (
    <li className={styles.record}>
      <div className={styles.head}>
        <h3 className={styles.title}>{name}</h3>
        {onChange !== undefined && (
          <IconButton
            label={t('edit.changeNew', { title })}
            icon={<Pencil size={15} aria-hidden />}
            onClick={onChange}
          />
        )}
        <IconButton
          label={t('edit.discardRecord', { title: name })}
          icon={<Trash2 size={15} aria-hidden />}
          onClick={() => store.change(rows => withoutRow(rows, id))}
        />
      </div>
      {refusal?.[''] !== undefined && <p className={styles.wrong}>{refusal['']}</p>}
      <dl className={styles.fields}>
        {Object.entries(fields).map(([field, edit]) => (
          <div key={field} className={styles.field}>
            <dt>{field}</dt>
            <dd className={styles.change}>
              <Change kind={kind} edit={edit} />
              <Wrong edit={edit} refused={refusal?.[field]} />
              <IconButton
                label={t('edit.discardField', { field, title: name })}
                icon={<Undo2 size={15} aria-hidden />}
                className={styles.discard}
                onClick={() => store.change(rows => withoutCell(rows, id, field))}
              />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Change({ kind, edit }: { readonly kind: StagedRow['kind']; readonly edit: FieldEdit }) {
  return (
    <>
      {kind === 'updated' && (
        <>
          <del className={styles.before}>
            <ShortValue value={edit.before} />
          </del>
          <span aria-hidden> → </span>
        </>
      )}
      <ins className={styles.after}>
        <ShortValue value={edit.misfit === undefined ? edit.after : edit.misfit.text} />
      </ins>
    </>
  );
}

function Wrong({ edit, refused }: { readonly edit: FieldEdit; readonly refused: string | undefined }) {
  const text = edit.misfit === undefined ? refused : t(`edit.problem_${edit.misfit.problem}`);
  return text === undefined ? null : <p className={styles.wrong}>{text}</p>;
}
