import { SqlParameters } from '../filter/index.js';
import type { CollectionShape } from './collection-shape.js';

/** SQL text and its parameters. The text depends on shapes only, so it can be prepared. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Text of the audit event that a write appends to its own statement; `written` names the CTE with one `_id` per
 * written record. Made by the audit floor, which storage does not know.
 */
export type EventSql = (written: string, add: (value: unknown, castType: string) => string) => string;

/** Parameters of a statement whose first two are the fence's: collection id and version. */
export function fencedParameters(shape: CollectionShape): SqlParameters {
  return new SqlParameters([shape.id, shape.version]);
}

/**
 * The row that exists only while the collection is in the version the statement was made for. A reader without it
 * sees no row, a writer without it writes nothing; the caller then reloads the collection.
 */
export const FENCE = 'SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint';
