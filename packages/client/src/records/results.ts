import type { CollectionShape, Insert, Update } from '../types/index.js';

/** The entity tag of a record: changes with every change of it. */
export interface Etag {
  readonly _etag: string;
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
