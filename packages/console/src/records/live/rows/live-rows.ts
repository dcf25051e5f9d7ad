/** The key of a record's mark in the grid. A symbol, so that it is neither a field nor part of the JSON of the record. */
export const LIVE_MARK = Symbol('live mark');

/** What the grid shows of a change for a while: the row has new values, or its record is gone. */
export type LiveMark = 'changed' | 'deleted';

/** A record of the grid. */
export interface LiveRecord {
  readonly _id: string;
  readonly [LIVE_MARK]?: LiveMark | undefined;
}

/** What live changes need of the grid. */
export interface LiveRows<R extends LiveRecord = LiveRecord> {
  /** True if the record is on a page that the grid knows. */
  readonly knows: (id: string) => boolean;
  /** Replaces a record that the grid has in memory. */
  readonly update: (id: string, change: (record: R) => R) => boolean;
  /** The records of these ids, as the grid reads its pages. */
  readonly read: (ids: readonly string[], signal?: AbortSignal) => Promise<readonly R[]>;
  /** Those of these ids that match the filter of the grid. */
  readonly matching: (ids: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;
  /** Reads the pages of the grid again. */
  readonly refresh: () => void;
}
