import { invalid } from '../kernel/errors.js';

/** Which records a write is about: one by its id, or those that a filter matches. */
export interface Aim {
  readonly record_id?: string;
  readonly filter?: unknown;
  readonly max_affected?: number;
  readonly dry_run?: boolean;
}

/** Throws 400 unless exactly one of `record_id` and `filter` is there, and a filter says how much it may touch. */
export function refuseVagueAim({ record_id, filter, max_affected, dry_run }: Aim): void {
  if ((record_id === undefined) === (filter === undefined)) throw invalid('Send either record_id or filter.');
  if (filter !== undefined && max_affected === undefined && dry_run !== true) {
    throw invalid('max_affected: a write by filter must say how many records it may touch at most');
  }
  if (record_id !== undefined && (max_affected !== undefined || dry_run === true)) {
    throw invalid('max_affected and dry_run belong to a filter');
  }
}
