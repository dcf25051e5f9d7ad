import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { titleOfRecord } from '../../../values/names.js';
import { writtenLocale } from '../../../values/written-locale.js';
import { type Draft, draftOf, enteredIn } from '../cell/draft.js';
import { newRecordId } from '../model/records.js';
import { type StagedRow, withNewRecord } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';
import { AddField } from './add-field.js';
import styles from './form.module.css';
import { ValueField } from './value-field.js';

interface NewRecordDialogProps {
  readonly info: CollectionInfo;
  readonly editing: Editing;
  /** A new record that is not saved yet, to change it. */
  readonly row?: StagedRow | undefined;
  readonly onClose: () => void;
}

/** The form of a new record. The record is one of the unsaved changes then. */
export function NewRecordDialog({ info, editing, row, onClose }: NewRecordDialogProps) {
  const locale = writtenLocale();
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>(() => draftsOf(info, editing, row));
  const [isTried, setTried] = useState(false);
  const entered = Object.entries(drafts).flatMap(([name, draft]) => {
    const column = editing.columnOf(name);
    return column === undefined
      ? []
      : [{ name, draft, column, typed: enteredIn(draft, column, locale, undefined) }];
  });
  const refusal = row && editing.state.refusals.get(row.id);

  const stage = async () => {
    setTried(true);
    if (entered.some(({ typed }) => 'problem' in typed)) throw new Error(t('edit.formWrong'));
    const values = Object.fromEntries(
      entered.flatMap(({ name, draft, typed }) =>
        draft.isNull || 'problem' in typed ? [] : [[name, typed.value]],
      ),
    );
    const id = row?.id ?? newRecordId();
    const title = titleOfRecord({ _id: '', ...values }, info.schema);
    editing.store.change(rows => withNewRecord(rows, { kind: 'inserted', id, title }, values));
  };
  return (
    <FormDialog title={t('edit.newRecord')} action={t('edit.addToChanges')} onClose={onClose} send={stage}>
      <div className={styles.form}>
        {entered.map(({ name, draft, column, typed }) => (
          <ValueField
            key={name}
            name={name}
            column={column}
            draft={draft}
            error={isTried && 'problem' in typed ? t(`edit.problem_${typed.problem}`) : refusal?.[name]}
            onChange={changed => setDrafts(before => ({ ...before, [name]: changed }))}
          />
        ))}
        <AddField
          editing={editing}
          taken={Object.keys(drafts)}
          onAdd={(name, value) =>
            setDrafts(before => ({
              ...before,
              [name]: draftOf(value, { type: 'flexible', isNullable: true }, locale),
            }))
          }
        />
      </div>
    </FormDialog>
  );
}

function draftsOf(
  { schema }: CollectionInfo,
  { columnOf }: Editing,
  row: StagedRow | undefined,
): Record<string, Draft> {
  const names = [...Object.keys(schema), ...Object.keys(row?.fields ?? {})];
  return Object.fromEntries(
    names.flatMap(name => {
      const column = columnOf(name);
      return column === undefined ? [] : [[name, draftOf(row?.fields[name]?.after, column, writtenLocale())]];
    }),
  );
}
