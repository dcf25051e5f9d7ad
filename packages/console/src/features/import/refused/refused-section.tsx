import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { download } from '../../../ui/export/sinks.js';
import type { FilePlan } from '../file/slices.js';
import styles from '../import.module.css';
import type { RefusedRow } from '../run/run-import.js';
import type { RunState } from '../run/use-import-run.js';
import { type Corrections, fileOf } from './refused-rows.js';
import { RefusedTable } from './refused-table.js';

interface RefusedSectionProps {
  readonly state: RunState;
  readonly plan: FilePlan;
  /** The name of the imported file. */
  readonly fileName: string;
  /** Imports the corrected rows. Undefined if they cannot be imported now. */
  readonly onSend: ((rows: readonly RefusedRow[], corrections: Corrections) => void) | undefined;
}

/** The rows that were not imported, with their reasons: to correct here, or to download. */
export function RefusedSection({ state, plan, fileName, onSend }: RefusedSectionProps) {
  const { refused, progress } = state;
  const [corrections, setCorrections] = useState<Corrections>(new Map());
  const save = () => {
    const base = fileName.replace(/\.[^.]*$/, '');
    const suffix = plan.reading.format === 'csv' ? 'csv' : 'ndjson';
    download(`${base}-refused.${suffix}`, fileOf(refused, corrections, plan));
  };
  const send = () => {
    onSend?.(refused, corrections);
    setCorrections(new Map());
  };
  const present = refused.filter(({ row }) => corrections.has(row)).length;
  return (
    <Section
      title={t('import.refusedTitle', { count: progress.refused })}
      text={t(onSend === undefined ? 'import.refusedText' : 'import.correctText')}
      actions={<Button onClick={save}>{t('import.downloadRefused')}</Button>}
    >
      {refused.length < progress.refused && (
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
