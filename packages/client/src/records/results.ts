import type { CollectionShape, Insert, Update } from '../types/index.js';

/** The entity tag of a record: changes with every change of it. */
export interface Etag {
  readonly _etag: string;
}

/** By which grants a principal may do something with a record. */
export interface RecordExplanation {
  readonly allowed: boolean;
  readonly grants: readonly ExplainedGrant[];
}

export interface ExplainedGrant {
  /** `owner`, `user`, `group:<org>:<group>`, `org`, `org_role` and others. */
  readonly via: string;
  readonly role: string;
  /** These three only for callers who may share the collection: others get the grants that allow the action. */
  readonly rule?: boolean | object;
  readonly holds?: boolean;
  readonly conditions?: readonly { readonly condition: object; readonly holds: boolean }[];
  /** The fields that it shows or lets the principal write; null: all. */
  readonly fields: readonly string[] | null;
}

export interface Inserted {
  readonly inserted_count: number;
  /** In the order of the records. */
  readonly ids: string[];
}

export interface Updated {
  readonly matched_count: number;
  /** Records that were different before. */
  readonly updated_count: number;
  readonly dry_run?: true;
}

export interface Upserted {
  readonly _id: string;
  /** The record is new. */
  readonly inserted: boolean;
  readonly matched_count: number;
  /** 1 if an existing record was different before. */
  readonly modified_count: number;
}

export interface Deleted {
  readonly deleted_count: number;
  readonly dry_run?: true;
}

/** One operation of a batch. `if_match` is the `_etag` that the record must still have. */
export type BatchOperation<C extends CollectionShape> =
  | { readonly insert: Insert<C> }
  | { readonly update: { readonly _id: string; readonly if_match?: string; readonly update: Update<C> } }
  | { readonly delete: { readonly _id: string; readonly if_match?: string } };

export interface BatchResult {
  /** In the order of the operations. */
  readonly results: {
    readonly _id: string;
    readonly operation: 'inserted' | 'updated' | 'deleted';
    /** From now on; null for a deleted record and in a dry run. */
    readonly _etag: string | null;
  }[];
  /** The audit event; null if no record had to be changed. */
  readonly event_id: string | null;
  readonly dry_run?: true;
}

/** The answer to a question, the plan that was executed, and its result. */
export interface Answer {
  readonly answer: string;
  readonly plan: unknown;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A record that was written since the writes that are undone, or whose unique values another record has. */
export interface UndoConflict {
  readonly record_id: string;
  readonly reason: 'changed_since' | 'deleted_since' | 'unique' | 'forbidden';
  /** The audit event of the latest write since; null if none is known. */
  readonly event_id: string | null;
}

export interface Undone {
  /** Records that were put back, inserted again or deleted. */
  readonly undone: number;
  /** Records that were left as they are because of a conflict. */
  readonly skipped: number;
  /** The first 1,000. */
  readonly conflicts: readonly UndoConflict[];
  /** The audit event, which can be undone in turn; null if nothing was written. */
  readonly event_id: string | null;
}

/** An entry of `indexes` or `uniques`. */
export interface IndexEntry {
  readonly properties: readonly string[];
  /** Only of an index that serves `$search`. */
  readonly kind?: 'search';
}

/** One step of a read, in plain words. */
export interface PlanStep {
  readonly step: string;
  readonly rows: number;
  /** With the steps below it. */
  readonly ms: number;
  /** The steps that it got its rows from. */
  readonly children: readonly PlanStep[];
}

/** How the service executed a read, and what it measured. */
export interface Explanation {
  /** The entry that was used; null when none was, or only the index of the ids. */
  readonly index: IndexEntry | null;
  /** All entries that were used, if there are several. */
  readonly indexes?: readonly IndexEntry[];
  readonly uses_index: boolean;
  /** What the database expected, without the limit of the page. */
  readonly estimated_rows: number;
  readonly returned_rows: number;
  readonly scanned_rows: number;
  /** Time in the database. */
  readonly duration_ms: number;
  readonly plan: PlanStep;
  /** An entry of `indexes` that would help, or null. */
  readonly advice: IndexEntry | null;
}
