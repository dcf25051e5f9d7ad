import type { AggregateStep } from '../question-planner.js';
import type { Field } from './fields.js';

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
