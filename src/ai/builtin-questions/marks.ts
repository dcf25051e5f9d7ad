import type { Period } from './calendar.js';
import type { Field } from './fields.js';
import type { ValueMatch } from './known-values.js';
import type { Role } from './role.js';
import type { Verb } from './verbs.js';

/**
 * A piece of a question and everything it may be. The reader decides by the place it stands in; a piece that may be
 * nothing is what the question is refused for.
 */
export interface Mark {
  /** As it was written. */
  readonly text: string;
  readonly role?: Role;
  /** Fields that its words fit equally well. */
  readonly fields?: readonly Field[];
  /** The name begins with "total": it may ask for the sum. */
  readonly total?: boolean;
  /** Set when the words say the contrary of a boolean field: `unpaid`. */
  readonly contrary?: true;
  readonly values?: readonly ValueMatch[];
  readonly number?: number;
  readonly measure?: Measure;
  readonly period?: Period;
  /** A year in four digits, which may be a number too. */
  readonly year?: true;
  /** What the records are called. */
  readonly entity?: true;
  readonly quoted?: true;
  /** `day`, `month`: a unit of the calendar that stands alone. */
  readonly calendarUnit?: true;
  readonly verb?: Verb;
  /** `second`, `3rd`. */
  readonly ordinal?: number;
  readonly comma?: true;
  /** No filler stands before it: "highest priority incidents", not "highest priority of incidents". */
  readonly direct?: boolean;
}

/** A unit that a number was given in, as the name of a field may say it. */
export interface Measure {
  readonly text: string;
  readonly names: readonly string[];
  readonly money: boolean;
}
