import { Pencil, Trash2, Undo2 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import { type FieldEdit, type StagedRow, withoutCell, withoutRow } from '../model/staged-edits.js';
import type { Refusal, StagedStore } from '../model/staged-store.js';
import styles from './review.module.css';
import { ShortValue } from './short-value.js';

interface StagedRecordProps {
  readonly row: StagedRow;
  readonly refusal: Refusal | undefined;
  readonly store: StagedStore;
  /** Opens the form of a new record. */
  readonly onChange: (() => void) | undefined;
}

/** The unsaved changes of one record. */
export function StagedRecord({ row, refusal, store, onChange }: StagedRecordProps) {
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
