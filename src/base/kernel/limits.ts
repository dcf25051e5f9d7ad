// The limits that several folders enforce. docs/limits.md lists every limit and where it is set.

/** One record as JSON text, as a line of NDJSON or as a row of CSV (wire contract, Objects). */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;
/** Nesting depth of a record: lists and objects inside each other. */
export const MAX_RECORD_LEVELS = 100;
/** Members of one object at any depth. Listing a million members would block other requests for a second. */
export const MAX_MEMBERS = 50_000;
/** Values of a record, an update or a filter, at any depth. Each list and object counts as one. */
export const MAX_VALUES = 250_000;
/** Columns of a collection. */
export const MAX_COLUMNS = 500;
/** Indexes of a collection, and unique constraints of a suggested schema. */
export const MAX_INDEXES = 32;
/** Entries of a page of a list: default and maximum. */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
