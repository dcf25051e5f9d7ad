import type { Unit } from '../kernel/calendar.js';
import type { Field } from './fields/fields.js';
import type { Filter, Step } from './plan.js';
import type { Verb } from './words/things.js';

export interface Figure {
  readonly type: Step['type'];
  /** Undefined: records are counted. */
  readonly field?: Field;
}

/** What has been read of a question so far. */
export interface Draft {
  ask?: 'list' | 'which' | 'what';
  count: boolean;
  distinct: boolean;
  /** "only", "both": said of all that somebody has, not of one record. */
  ofAll: boolean;
  howMuch: boolean;
  /** The records were named: "orders", "who", "rows". */
  entity: boolean;
  /** The field that the question is about: "which countries", "how many customers". */
  head?: { readonly field: Field; readonly plural: boolean };
  figures: Figure[];
  groups: Field[];
  /** Groups by the calendar, of a date that was named or is to be found. */
  calendar?: { readonly unit: Unit | 'weekday'; readonly text: string; readonly field?: Field };
  /** The date that makes the records: "hires" are those that have been hired. */
  event?: Field;
  /** "Who": somebody, which records are only where they are people. */
  who: boolean;
  /** The last verb that only says that the records are there. */
  verb?: Verb;
  /** What records or groups are ranked by, best first; with `nth` 2 the second best alone. */
  rank?: { readonly direction: 1 | -1; by?: Field | Figure; limit?: number; nth?: number };
  /** Fields that are named for nothing else. */
  shown: { readonly field: Field; readonly text: string; readonly plural: boolean }[];
  sort: { readonly field: Field | Figure; direction: 1 | -1 }[];
  limit?: number;
  /** Each with how it is joined to the one before it. */
  conditions: { readonly filter: Filter; readonly joined: 'and' | 'or' }[];
  having: { readonly figure: Figure; readonly test: Filter }[];
  /** The field of the last condition: what "or under 10" goes on about. */
  lastField?: Field;
  /** The date that was named before its time: "hires" in 2025, "left each month" of 2026. */
  dated?: Field;
  /** The date that a bare "last month" was taken for, and the dates that a word such as "shipped" may mean as well. */
  assumed?: Field;
  possible: Field[];
}

export function newDraft(): Draft {
  const flags = { count: false, distinct: false, ofAll: false, howMuch: false, who: false, entity: false };
  return { ...flags, figures: [], groups: [], shown: [], sort: [], conditions: [], having: [], possible: [] };
}

export const isFigure = (each: Field | Figure): each is Figure => 'type' in each;
