import type { Field } from './fields/fields.js';
import type { AggregateStep, Filter } from './plan.js';
import type { Unit } from './plans/days.js';
import type { Verb } from './words/things.js';

export interface Figure {
  readonly type: AggregateStep['type'];
  /** The field to compute from; undefined counts records. */
  readonly field?: Field;
}

/** What has been read of a question so far. */
export interface Draft {
  ask?: 'list' | 'which' | 'what';
  count: boolean;
  distinct: boolean;
  /** Words such as "only" and "both". They are about all records of a person, not about one record. */
  ofAll: boolean;
  howMuch: boolean;
  /** True if the question names the records: "orders", "who", "rows". */
  entity: boolean;
  /** The field that the question is about: "which countries", "how many customers". */
  head?: { readonly field: Field; readonly plural: boolean };
  figures: Figure[];
  groups: Field[];
  /** Groups by a unit of the calendar. The date is the one that the question names, or it is chosen later. */
  calendar?: { readonly unit: Unit | 'weekday'; readonly text: string; readonly field?: Field };
  /** The date that a record must have to count: "hires" are employees with a hire date. */
  event?: Field;
  /** The question asks "who". A record is an answer only if the records are people. */
  who: boolean;
  /** The last verb that only says that records exist, such as "placed" in "orders placed in May". */
  verb?: Verb;
  /** What records or groups are ranked by, best first. With `nth` 2, only the second best. */
  rank?: { readonly direction: 1 | -1; by?: Field | Figure; limit?: number; nth?: number };
  /** Fields that the question names and that no other part of the question uses. */
  shown: { readonly field: Field; readonly text: string; readonly plural: boolean }[];
  sort: { readonly field: Field | Figure; direction: 1 | -1 }[];
  limit?: number;
  /** The conditions, each with the word that joins it to the previous one. */
  conditions: { readonly filter: Filter; readonly joined: 'and' | 'or' }[];
  having: { readonly figure: Figure; readonly test: Filter }[];
  /** The field of the last condition. "or under 10" continues it. */
  lastField?: Field;
  /** A date field that is named before its period: "hires" in 2025, "left each month" of 2026. */
  dated?: Field;
  /**
   * The date that a "last month" without a date field was assigned to, and the dates that a word such as "shipped" may
   * also mean.
   */
  assumed?: Field;
  possible: Field[];
}

export function newDraft(): Draft {
  const flags = { count: false, distinct: false, ofAll: false, howMuch: false, who: false, entity: false };
  return { ...flags, figures: [], groups: [], shown: [], sort: [], conditions: [], having: [], possible: [] };
}

export const isFigure = (each: Field | Figure): each is Figure => 'type' in each;
