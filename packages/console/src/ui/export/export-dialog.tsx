import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { t } from '../../i18n/language.js';
import { byteSize } from '../../values/byte-size.js';
import { throttled } from '../../values/throttled.js';
import { Button } from '../controls/button.js';
import { Check } from '../controls/check-list.js';
import { ChoiceField } from '../controls/field.js';
import { Dialog } from '../overlays/dialog.js';
import { ErrorBox } from '../states.js';
import styles from './export.module.css';
import {
  canWriteFiles,
  exportFile,
  type Format,
  MEMORY_LIMIT,
  openSink,
  type Progress,
  TooLarge,
} from './export-file.js';

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
    if (isComplete && !run.isPending)
      run.mutate({ format, safe: format === 'csv' ? !keepsFormulas : undefined });
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
        <ChoiceField
          label={t('export.format')}
          value={format}
          onChange={each => setFormat(each)}
          choices={formats}
          textOf={each => t(`export.format_${each}`)}
        />
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

/** What a file has one of in each line. */
type Unit = 'records' | 'events';

interface ExportOutcomeProps {
  readonly run: ReturnType<typeof useFileExport>;
  readonly unit: Unit;
  /** A file with this many lines may lack others that match. Undefined if files have no limit. */
  readonly most: number | undefined;
}

/** How far the export is, and how it ended. */
function ExportOutcome({ run, unit, most }: ExportOutcomeProps) {
  const { error, data, progress, isPending } = run;
  const counted = (rows: number) => t(`export.count_${unit}`, { count: rows });
  const said = (key: 'export.running' | 'export.done', { rows, bytes }: Progress) =>
    t(key, { what: counted(rows), size: byteSize(bytes) });
  return (
    <div className={styles.outcome}>
      {isPending && (
        <>
          <progress className={styles.progress} aria-label={t('export.start')} />
          <p>{said('export.running', progress ?? { rows: 0, bytes: 0 })}</p>
        </>
      )}
      <p role="status">{data !== undefined && said('export.done', data)}</p>
      {data !== undefined && data.rows === most && (
        <p role="alert" className={styles.warning}>
          {t('export.cutOff', { what: counted(most) })}
        </p>
      )}
      {error?.name === 'AbortError' && <p role="status">{t('export.stopped')}</p>}
      {error instanceof TooLarge && (
        <p role="alert" className={styles.warning}>
          {t('export.tooLarge', { size: byteSize(MEMORY_LIMIT) })}
        </p>
      )}
      {error !== null && error.name !== 'AbortError' && !(error instanceof TooLarge) && (
        <ErrorBox error={error} />
      )}
    </div>
  );
}

/** `safe`: spreadsheets run no text of the file as a formula. */
export interface FileChoice {
  readonly format: Format;
  readonly safe: boolean | undefined;
}

/** The bytes of a file as the service writes them. */
type FileSource = (choice: FileChoice, signal: AbortSignal) => ReadableStream<Uint8Array<ArrayBuffer>>;

/** Writes what a source sends into a file, tells how far it is, and can stop. */
function useFileExport(name: string, source: FileSource) {
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn: async (choice: FileChoice) => {
      setProgress(undefined);
      stop.current = new AbortController();
      const { signal } = stop.current;
      const sink = await openSink(name, choice.format);
      return exportFile(source(choice, signal), choice.format, sink, throttled(setProgress).call);
    },
  });
  return { ...mutation, progress, stop: () => stop.current?.abort() };
}
