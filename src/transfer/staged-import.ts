import type { Call } from '../kernel/call.js';
import type { CopySession } from '../storage/copy-sessions.js';
import type { StagedRange } from '../storage/copy-stage.js';
import type { ImportAnswer } from './import-answer.js';
import type { RowErrors } from './row-errors.js';

/** Staged records that are to become records of a collection. */
export interface StagedImport {
  readonly call: Call;
  readonly session: CopySession;
  readonly ranges: readonly StagedRange[];
  /** Rows that are fit to be written. */
  readonly fit: number;
  readonly key: string | undefined;
  readonly skip: boolean;
  readonly dryRun: boolean;
  readonly errors: RowErrors;
  readonly answer: ImportAnswer;
  /** Throws when the caller may no longer write this. */
  readonly confirm: () => Promise<unknown>;
  /** What the client is told at last. */
  readonly summary: (merged: Merged) => object;
}

/** What an import came to. */
export interface Merged {
  readonly written: number;
  readonly inserted: number;
  readonly ids: readonly string[];
}
