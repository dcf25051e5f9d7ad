import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { ChoiceField } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { writtenLocale } from '../../../values/written-locale.js';
import { canUndo } from '../../history/undo/undoable.js';
import { type Draft, enteredIn } from '../cell/draft.js';
import { ValueField } from '../form/value-field.js';
import { readWhole } from '../model/records.js';
import type { Changed } from './changed-records.js';
import styles from './select.module.css';
import type { Selection } from './use-selection.js';

interface BulkEditDialogProps {
  readonly selection: Selection;
  readonly changed: Changed;
  readonly onClose: () => void;
}

interface DryRun {
  readonly matched: number;
  readonly updated: number;
}

const NOTHING: Draft = { text: '', isNull: true };

/**
 * Gives a field the same value in all chosen records. Changes of single records become unsaved changes; those of all records that match
 * the filter are written at once, after a dry run has said how many they are.
 */
export function BulkEditDialog({ selection, changed, onClose }: BulkEditDialogProps) {
  const { info, editing, collection, filter, otherFields, refresh } = changed;
  const { ids, isAll, clear } = selection;
  const fields = [...Object.keys(info.schema), ...otherFields].filter(name => editing.columnOf(name));
  const [name, setName] = useState(fields[0] ?? '');
  const [draft, setDraft] = useState(NOTHING);
  const [found, setFound] = useState<DryRun>();
  const column = editing.columnOf(name);
  const entered = column && enteredIn(draft, column, writtenLocale(), undefined);
  const isWrong = entered === undefined || 'problem' in entered;

  const send = async () => {
    if (isWrong) return;
    const { value } = entered;
    if (!isAll) {
      const records = await readWhole(collection, [...ids], [name]);
      editing.stage(
        records.map(record => ({
          record: editing.edited(record),
          field: name,
          before: record[name],
          entered,
        })),
      );
      onClose();
      return;
    }
    const update = { $set: { [name]: value } };
    const allowMatchAll = Object.keys(filter).length === 0;
    if (found === undefined) {
      const answer = await collection.updateMany(filter, update, { dryRun: true, allowMatchAll });
      setFound({ matched: answer.matched_count, updated: answer.updated_count });
      return;
    }
    await editing.saving.writeMatching('changed', async correlationId => {
      const options = { correlationId, maxAffected: found.matched, allowMatchAll };
      return (await collection.updateMany(filter, update, options)).updated_count;
    });
    clear();
    refresh();
    onClose();
  };
  const change = (next: Draft) => {
    setDraft(next);
    setFound(undefined);
  };
  return (
    <FormDialog
      title={isAll ? t('edit.bulkTitleAll') : t('edit.bulkTitle', { count: ids.size })}
      action={actionOf(isAll, found)}
      onClose={onClose}
      send={send}
      staysOpen
      isComplete={!isWrong}
    >
      <div className={styles.form}>
        <ChoiceField
          label={t('edit.field')}
          value={name}
          onChange={field => {
            setName(field);
            change(NOTHING);
          }}
          choices={fields}
        />
        {column !== undefined && (
          <ValueField
            key={name}
            name={t('edit.newValue')}
            column={column}
            draft={draft}
            error={
              !draft.isNull && entered && 'problem' in entered
                ? t(`edit.problem_${entered.problem}`)
                : undefined
            }
            onChange={change}
          />
        )}
        <p role="status">
          {!isAll && t('edit.bulkStaged')}
          {isAll && found === undefined && t('edit.bulkDryRun')}
          {found !== undefined && (
            <>
              {t('edit.bulkFound', { matched: found.matched, updated: found.updated })}{' '}
              {t(canUndo(found.updated, info) ? 'edit.bulkUndoable' : 'edit.bulkFinal')}
            </>
          )}
        </p>
      </div>
    </FormDialog>
  );
}

function actionOf(isAll: boolean, found: DryRun | undefined): string {
  if (!isAll) return t('edit.addToChanges');
  return found === undefined ? t('edit.check') : t('edit.bulkApply', { count: found.updated });
}
