import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Input } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { download } from '../../../ui/export/export-file.js';
import type { FilePlan } from '../file/plan.js';
import styles from '../import.module.css';
import type { RunState } from '../run/use-file-import.js';
import { type Corrections, cellsOf, correctedFile, withCell } from './refused-rows.js';

interface RefusedSectionProps {
  readonly state: RunState;
  readonly plan: FilePlan;
  /** The name of the imported file. */
  readonly fileName: string;
  /** Imports the corrected rows. Undefined if they cannot be imported now. */
  readonly onSend: ((corrections: Corrections) => void) | undefined;
}

/** The rows that were not imported, with their reasons: to correct here, or to download. */
export function RefusedSection({ state, plan, fileName, onSend }: RefusedSectionProps) {
  const { refused, done } = state;
  const [corrections, setCorrections] = useState<Corrections>(new Map());
  const save = () => {
    const base = fileName.replace(/\.[^.]*$/, '');
    const { body, options } = correctedFile(refused, corrections, plan);
    download(`${base}-refused.${options.format}`, body);
  };
  const send = () => {
    onSend?.(corrections);
    setCorrections(new Map());
  };
  const present = refused.filter(({ row }) => corrections.has(row)).length;
  return (
    <Section
      title={t('import.refusedTitle', { count: done.refused })}
      text={t(onSend === undefined ? 'import.refusedText' : 'import.correctText')}
      actions={<Button onClick={save}>{t('import.downloadRefused')}</Button>}
    >
      {refused.length < done.refused && (
        <p className={styles.quiet}>{t('import.keptRows', { count: refused.length })}</p>
      )}
      <RefusedTable
        rows={refused}
        plan={plan}
        corrections={corrections}
        onCorrect={onSend && ((row, text) => setCorrections(before => new Map(before).set(row, text)))}
      />
      {onSend !== undefined && (
        <div className={styles.actions}>
          <Button look="primary" disabled={present === 0} onClick={send}>
            {t('import.sendCorrected', { count: present })}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Rows that are shown. The others follow when these are corrected, and are in the download. */
const MAX_SHOWN = 25;

interface RefusedTableProps {
  readonly rows: RunState['refused'];
  readonly plan: FilePlan;
  readonly corrections: Corrections;
  /** Undefined: the rows are shown only. */
  readonly onCorrect: ((row: number, text: string) => void) | undefined;
}

/** Refused rows with their reasons. Cells can be edited; a row without the right number of cells is edited as text. */
function RefusedTable({ rows, plan, corrections, onCorrect }: RefusedTableProps) {
  const fields = plan.reading.format === 'csv' ? sentFields(plan) : [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={t('import.refusedRows')}>
      <table className={styles.rows}>
        <thead>
          <tr>
            <th scope="col">{t('import.rowNumber')}</th>
            <th scope="col">{t('import.problem')}</th>
            {fields.length === 0 && <th scope="col">{t('import.rowText')}</th>}
            {fields.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_SHOWN).map(row => (
            <tr key={row.row}>
              <th scope="row">{row.row}</th>
              <td className={styles.reason}>
                {row.column === null ? row.problem : `${row.column}: ${row.problem}`}
              </td>
              <Cells
                row={row}
                text={corrections.get(row.row) ?? row.line}
                plan={plan}
                fields={fields}
                onText={onCorrect && (text => onCorrect(row.row, text))}
              />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_SHOWN && (
        <p className={styles.quiet}>{t('import.shownRows', { shown: MAX_SHOWN, all: rows.length })}</p>
      )}
    </section>
  );
}

/** The columns that a file has values for, with the places of their fields. */
function sentFields({ targets }: FilePlan) {
  return targets.flatMap((name, at) => (name === null ? [] : [{ name, at }]));
}

interface CellsProps {
  readonly row: RunState['refused'][number];
  /** Null if the row is too long to be edited. */
  readonly text: string | null;
  readonly plan: FilePlan;
  readonly fields: ReturnType<typeof sentFields>;
  readonly onText: ((text: string) => void) | undefined;
}

function Cells({ row: { row, column }, text, plan, fields, onText }: CellsProps) {
  const cells = text === null ? undefined : cellsOf(text, plan);
  if (text === null || cells === undefined) {
    return (
      <td colSpan={Math.max(1, fields.length)}>
        {text === null ? (
          t('import.tooLong')
        ) : (
          <Input
            aria-label={t('import.textOfRow', { row })}
            readOnly={onText === undefined}
            value={text}
            onChange={({ target }) => onText?.(target.value)}
          />
        )}
      </td>
    );
  }
  return fields.map(({ name, at }) => (
    <td key={name}>
      <Input
        aria-label={t('import.cell', { name, row })}
        aria-invalid={name === column}
        readOnly={onText === undefined}
        value={cells[at] ?? ''}
        onChange={({ target }) => onText?.(withCell(cells, at, target.value, plan))}
      />
    </td>
  ));
}
