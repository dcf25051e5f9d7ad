import { useId } from 'react';
import { t } from '../../../i18n/language.js';
import { type Choice, type Conflict, contested } from '../model/batch.js';
import styles from './review.module.css';
import { ShortValue } from './short-value.js';

interface ConflictRecordProps {
  readonly conflict: Conflict;
  readonly choices: Readonly<Record<string, Choice>>;
  readonly onChoose: (field: string, choice: Choice) => void;
}

/** One record that two people changed. */
export function ConflictRecord({ conflict, choices, onChoose }: ConflictRecordProps) {
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
