import { nameFlaw } from '../columns/index.js';
import { invalid } from '../kernel/errors.js';

/** The parts of a dotted name, never empty: `a.0.b` is `['a', '0', 'b']`. */
export type FieldPath = readonly string[];

/** Maximum of parts, equal to the maximum depth of a record. */
const MAX_PARTS = 100;
/** Maximum length of a path, because the path is repeated in the jsonpath that it compiles to. */
const MAX_LENGTH = 2_000;
/**
 * Maximum of array indexes in a path. Each may also be the name of a field, so each doubles the ways to read the path.
 */
const MAX_INDEXES = 4;
/** At most nine digits: PostgreSQL's array subscripts are int4. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** True for a part that is a position when its parent is an array. */
export function isIndex(part: string): boolean {
  return INDEX.test(part);
}

/** Parses a dotted field name by the contract's rules for names. Throws `invalid()`. */
export function parseFieldPath(name: unknown): FieldPath {
  if (typeof name !== 'string') throw invalid('a field name must be a string');
  if (name.length > MAX_LENGTH) throw invalid(`a field path is at most ${MAX_LENGTH} characters long`);
  const parts = name.split('.');
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  for (const part of parts) {
    const flaw = nameFlaw(part);
    if (flaw !== undefined) throw invalid(`field ${shown}: ${flaw}`);
  }
  if (parts.length > MAX_PARTS) throw invalid(`field ${shown}: more than ${MAX_PARTS} levels`);
  if (parts.filter(isIndex).length > MAX_INDEXES) {
    throw invalid(`field ${shown}: at most ${MAX_INDEXES} numeric parts are supported in one path`);
  }
  return Object.freeze(parts);
}
