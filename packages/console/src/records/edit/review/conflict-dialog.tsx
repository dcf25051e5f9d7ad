import { useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ShortValue } from '../../grid/table/cell-content.js';
import { type Choice, type Conflict, contested, resolved } from '../model/batch.js';
import type { Editing } from '../use-editing.js';
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

interface ConflictRecordProps {
  readonly conflict: Conflict;
  readonly choices: Readonly<Record<string, Choice>>;
  readonly onChoose: (field: string, choice: Choice) => void;
}

/** One record that two people changed. */
function ConflictRecord({ conflict, choices, onChoose }: ConflictRecordProps) {
  const { row, theirs } = conflict;
  const both = contested(conflict);
  const others = Object.keys(row.fields).filter(field => !both.includes(field));
  return (
    <li className={styles.record}>
      <h3 className={styles.title}>{row.title}</h3>
      {theirs === undefined && <p className={styles.wrong}>{t('edit.conflictGone')}</p>}
      {theirs !== undefined && others.length > 0 && (
        <p>{t('edit.conflictMerged', { fields: others.join(', ') })}</p>
      )}
      {both.map(field => (
        <ContestedField
          key={field}
          field={field}
          sides={{ mine: row.fields[field]?.after, theirs: theirs?.[field] }}
          before={row.fields[field]?.before}
          choice={choices[field]}
          onChoose={choice => onChoose(field, choice)}
        />
      ))}
    </li>
  );
}

interface ContestedFieldProps {
  readonly field: string;
  readonly sides: Readonly<Record<Choice, unknown>>;
  readonly before: unknown;
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
}

function ContestedField({ field, sides, before, choice, onChoose }: ContestedFieldProps) {
  const name = useId();
  return (
    <fieldset className={styles.contested}>
      <legend>{field}</legend>
      <div className={styles.side}>
        <span className={styles.label}>{t('edit.base')}</span>
        <ShortValue value={before} />
      </div>
      {(['theirs', 'mine'] as const).map(side => (
        <label key={side} className={styles.side}>
          <span className={styles.label}>
            <input type="radio" name={name} checked={choice === side} onChange={() => onChoose(side)} />
            {t(`edit.${side}`)}
          </span>
          <ShortValue value={sides[side]} />
        </label>
      ))}
    </fieldset>
  );
}
