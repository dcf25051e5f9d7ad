import type { Deadline } from '../kernel/deadline.js';
import type { Renewable } from '../kernel/decided-rights.js';
import { invalid } from '../kernel/errors.js';
import type { Selection } from '../storage/selection.js';
import type { RecordAct } from './record-event.js';

/** How selected records are written. */
export interface Write {
  readonly act: RecordAct;
  readonly now: Date;
  /** When the request stops retrying it. */
  readonly until: Deadline;
  /** The caller's, decided again when the write has waited. */
  readonly rights: Renewable | undefined;
  /** Tells what would happen, and leaves everything as it is. */
  readonly dryRun?: boolean | undefined;
  /** When the records expire from now on, null = never; undefined leaves it. */
  readonly expiresAt?: Date | null | undefined;
}

/** What a write came to. */
export interface Written {
  readonly matched: number;
  /** Records that are different now. */
  readonly updated: number;
  /** Of the oldest, where that was selected and there was one. */
  readonly id?: string | undefined;
}

/** Throws 400 when more records match than `max_affected` allows. */
export function refuseExcess(selection: Selection, matched: number): void {
  if (!('atMost' in selection) || selection.atMost === undefined || matched <= selection.atMost) return;
  throw invalid(
    `max_affected: the filter matches more than ${selection.atMost} records; nothing was written`,
    {
      max_affected: selection.atMost,
    },
  );
}
