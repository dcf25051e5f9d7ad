import type { AggregateStep } from '../question-planner.js';
import type { CalendarUnit } from './calendar.js';
import type { Field } from './fields.js';
import type { Verb } from './verbs.js';

export type Filter = Readonly<Record<string, unknown>>;

/** One condition, and how it is joined to the one before it. */
interface Condition {
  readonly filter: Filter;
  readonly joined: 'and' | 'or';
}

export interface Figure {
  readonly type: AggregateStep['type'];
  /** Undefined: records are counted. */
  readonly field?: Field;
}

/** What records or groups are ranked by, best first. */
interface Rank {
  readonly direction: 1 | -1;
  by?: Field | Figure;
  limit?: number;
  /** 2 is the second largest alone. */
  nth?: number;
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
  calendar?: { readonly unit: CalendarUnit; readonly text: string; readonly field?: Field };
  /** The date that makes the records: "hires" are those that have been hired. */
  event?: Field;
  /** "Who": somebody, which records are only where they are people. */
  who: boolean;
  /** The last verb that says no more than that the records are there. */
  verb?: Verb;
  rank?: Rank;
  /** Fields that are named for nothing else. */
  shown: { readonly field: Field; readonly text: string; readonly plural: boolean }[];
  sort: { readonly field: Field | Figure; direction: 1 | -1 }[];
  limit?: number;
  conditions: Condition[];
  having: { readonly figure: Figure; readonly test: Filter }[];
}

export function newDraft(): Draft {
  return {
    count: false,
    distinct: false,
    ofAll: false,
    howMuch: false,
    who: false,
    entity: false,
    figures: [],
    groups: [],
    shown: [],
    sort: [],
    conditions: [],
    having: [],
  };
}

export function isFigure(each: Field | Figure): each is Figure {
  return 'type' in each;
}
