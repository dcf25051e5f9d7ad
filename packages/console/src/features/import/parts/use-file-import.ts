import { newIdempotencyKey } from '@typed-collections/client';
import { type FilePlan, slicesOf } from '../file/slices.js';
import { type Corrections, correctedSlice } from '../refused/refused-rows.js';
import { NOTHING_YET, type RefusedRow } from '../run/run-import.js';
import { type ImportJob, useImportRun } from '../run/use-import-run.js';
import type { RunChoice } from './run-options.js';

/** Characters of a part. A part is one transaction, and its end is where an import can stop. */
const SLICE_CHARACTERS = 4 * 1024 * 1024;

/** Imports of one file: a check, the import, and the rows that were corrected afterwards. */
export function useFileImport(file: File, plan: FilePlan, { isAllOrNothing, upsertKey }: RunChoice) {
  const runner = useImportRun();
  const begin = (collectionId: string, isCheck: boolean) =>
    runner.start({
      ...jobOf(collectionId),
      correlationId: newIdempotencyKey(),
      key: newIdempotencyKey(),
      slices: () => slicesOf(file, plan, isAllOrNothing ? Number.POSITIVE_INFINITY : SLICE_CHARACTERS),
      isCheck,
      isAllOrNothing,
    });
  const sendCorrected = (rows: readonly RefusedRow[], corrections: Corrections) => {
    const { state } = runner;
    if (state === undefined) return;
    const { progress = NOTHING_YET, job } = state;
    const count = rows.filter(({ row }) => corrections.has(row)).length;
    runner.start(
      {
        ...jobOf(job.collectionId),
        correlationId: job.correlationId,
        key: newIdempotencyKey(),
        slices: () => correctedSlice(rows, corrections, plan),
        isCheck: false,
        isAllOrNothing: false,
      },
      {
        // These rows are read and counted as refused already.
        progress: {
          ...progress,
          rows: progress.rows - count,
          refused: progress.refused - count,
          parts: 0,
        },
        refused: rows.filter(({ row }) => !corrections.has(row)),
      },
    );
  };
  const jobOf = (
    collectionId: string,
  ): Omit<ImportJob, 'slices' | 'isCheck' | 'isAllOrNothing' | 'correlationId' | 'key'> => ({
    collectionId,
    format: plan.reading.format === 'csv' ? 'csv' : 'ndjson',
    totalBytes: file.size,
    upsertKey,
  });
  return { runner, begin, sendCorrected };
}
