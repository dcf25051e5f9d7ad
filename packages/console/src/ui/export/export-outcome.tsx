import { t } from '../../i18n/language.js';
import { byteSize } from '../../values/byte-size.js';
import { ErrorBox } from '../states/error-box.js';
import styles from './export.module.css';
import type { Progress } from './export-file.js';
import { MEMORY_LIMIT, TooLarge } from './sinks.js';
import type { useFileExport } from './use-file-export.js';

/** What a file has one of in each line. */
export type Unit = 'records' | 'events';

interface ExportOutcomeProps {
  readonly run: ReturnType<typeof useFileExport>;
  readonly unit: Unit;
  /** A file with this many lines may lack others that match. Undefined if files have no limit. */
  readonly most: number | undefined;
}

/** How far the export is, and how it ended. */
export function ExportOutcome({ run, unit, most }: ExportOutcomeProps) {
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
