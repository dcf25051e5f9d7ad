import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { t } from '../../i18n/language.js';
import { byteSize } from '../../values/byte-size.js';
import { Button } from '../controls/button.js';
import { Check } from '../controls/check-list.js';
import { Field, Select } from '../controls/field.js';
import { Dialog } from '../overlays/dialog.js';
import styles from './export.module.css';
import type { Format } from './export-file.js';
import { ExportOutcome, type Unit } from './export-outcome.js';
import { canWriteFiles, MEMORY_LIMIT } from './sinks.js';
import { type FileSource, useFileExport } from './use-file-export.js';

interface ExportDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** What the file has in it. */
  readonly text: string;
  /** The name of the file, without its ending. */
  readonly fileName: string;
  readonly formats: readonly Format[];
  readonly source: FileSource;
  readonly unit: Unit;
  /** The most lines of a file, if the source ends there. */
  readonly most?: number;
  /** False while something is missing in `children`. */
  readonly isComplete?: boolean;
  /** Further choices. */
  readonly children?: ReactNode;
}

/** Writes a file of what the page shows. */
export function ExportDialog(props: ExportDialogProps) {
  const { open, onOpenChange, title, text, formats, unit, most, isComplete = true, children } = props;
  const form = useId();
  const [format, setFormat] = useState<Format>('csv');
  const [keepsFormulas, setKeepsFormulas] = useState(false);
  const run = useFileExport(props.fileName, props.source);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !run.isPending) run.mutate({ format, keepsFormulas });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      footer={
        run.isPending ? (
          <Button onClick={run.stop}>{t('export.stop')}</Button>
        ) : (
          <Button type="submit" form={form} look="primary" disabled={!isComplete}>
            {t('export.start')}
          </Button>
        )
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <p className={styles.text}>{text}</p>
        <Field label={t('export.format')}>
          {control => (
            <Select {...control} value={format} onChange={event => setFormat(event.target.value as Format)}>
              {formats.map(each => (
                <option key={each} value={each}>
                  {t(`export.format_${each}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {format === 'csv' && <Formulas isKept={keepsFormulas} onChange={setKeepsFormulas} />}
        {children}
        {most !== undefined && (
          <p className={styles.hint}>
            {t('export.atMost', { what: t(`export.count_${unit}`, { count: most }) })}
          </p>
        )}
        {!canWriteFiles() && (
          <p className={styles.hint}>{t('export.inMemory', { size: byteSize(MEMORY_LIMIT) })}</p>
        )}
      </form>
      <ExportOutcome run={run} unit={unit} most={most} />
    </Dialog>
  );
}

interface FormulasProps {
  readonly isKept: boolean;
  readonly onChange: (isKept: boolean) => void;
}

function Formulas({ isKept, onChange }: FormulasProps) {
  return (
    <div>
      <Check label={t('export.keepFormulas')} checked={isKept} onChange={onChange} />
      <p className={isKept ? styles.warning : styles.hint}>
        {t(isKept ? 'export.formulasKept' : 'export.formulasGuarded')}
      </p>
    </div>
  );
}
