import type { Filter } from '../filter/index.js';

/** Whether a record allows an action: a condition on the record, true (always), or false (never). */
export type Rule = Filter | boolean;

/** Names of top-level fields: only these, or all but these. */
export type FieldNames = { readonly only: ReadonlySet<string> } | { readonly without: ReadonlySet<string> };

/**
 * One way in which a caller reaches a collection, with rules in which the variables have the values of this caller.
 * Source: rules contract, "Grants carry rules".
 */
export interface Grant {
  /**
   * Equal for grants that show the same: what its read rule and its fields are, with the values of the variables in them,
   * except for the time.
   */
  readonly readKey: string;
  /** The records that the caller sees. */
  readonly read: Rule;
  /** The records that it may insert, as they are stored. */
  readonly create: Rule;
  /** The records that it may update, as they are before. */
  readonly update: Rule;
  /** What a record must be after an update. */
  readonly becomes: Rule;
  readonly delete: Rule;
  /** The fields that it sees of these records; undefined: all. */
  readonly shows: FieldNames | undefined;
  /** The fields that it may write, all of which it sees; undefined: all. */
  readonly writes: FieldNames | undefined;
}

/** The grants that restrict a caller, for each kind of action. */
export interface Restrictions {
  /** Those that count for reading. Undefined when one of them has neither rules nor fields: the caller sees everything. */
  readonly reading: readonly Grant[] | undefined;
  /** Those that count for writing; undefined as for reading. */
  readonly writing: readonly Grant[] | undefined;
}
