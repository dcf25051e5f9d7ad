import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { type Choice, type Conflict, contested, resolved } from '../model/batch.js';
import type { Editing } from '../use-editing.js';
import { ConflictRecord } from './conflict-record.js';
import styles from './review.module.css';

type Choices = Readonly<Record<string, Readonly<Record<string, Choice>>>>;

/** Records that somebody else saved first: both versions side by side, to choose a value for each field. */
export function ConflictDialog({ editing }: { readonly editing: Editing }) {
  const { saving, state } = editing;
  const { conflicts } = saving;
  const [choices, setChoices] = useState<Choices>({});
  const apply = (chosen: Choices) =>
    saving.settle(
      conflicts.reduce(
        (rows, conflict) => resolved(rows, conflict, chosen[conflict.row.id] ?? {}),
        state.rows,
      ),
    );
  const isOpen = conflicts.some(conflict =>
    contested(conflict).some(field => choices[conflict.row.id]?.[field] === undefined),
  );
  return (
    <Dialog
      open
      onOpenChange={open => !open && saving.keepConflicts()}
      title={t('edit.conflictTitle', { count: conflicts.length })}
      shape="wide"
      footer={
        <>
          <Button onClick={() => setChoices(all(conflicts, 'theirs'))}>{t('edit.allTheirs')}</Button>
          <Button onClick={() => setChoices(all(conflicts, 'mine'))}>{t('edit.allMine')}</Button>
          <Button look="primary" disabled={isOpen} onClick={() => apply(choices)}>
            {t('edit.applyChoices')}
          </Button>
        </>
      }
    >
      <p className={styles.intro}>{t('edit.conflictText')}</p>
      <ul className={styles.records}>
        {conflicts.map(conflict => (
          <ConflictRecord
            key={conflict.row.id}
            conflict={conflict}
            choices={choices[conflict.row.id] ?? {}}
            onChoose={(field, choice) =>
              setChoices(before => ({
                ...before,
                [conflict.row.id]: { ...before[conflict.row.id], [field]: choice },
              }))
            }
          />
        ))}
      </ul>
    </Dialog>
  );
}

function all(conflicts: readonly Conflict[], choice: Choice): Choices {
  return Object.fromEntries(
    conflicts.map(conflict => [
      conflict.row.id,
      Object.fromEntries(contested(conflict).map(field => [field, choice])),
    ]),
  );
}
