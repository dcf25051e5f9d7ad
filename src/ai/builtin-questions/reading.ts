import { DATES } from './choose.js';
import { Cursor, isRole } from './cursor.js';
import { type Draft, type Figure, newDraft } from './draft.js';
import type { Field, Kind } from './fields.js';
import type { Ground } from './ground.js';
import type { Mark } from './marks.js';
import { isSum } from './named-fields.js';
import { Conditions } from './read-conditions.js';

/** What all the readers of a question share: the marks ahead, and what has been made of those behind. */
export class Reading {
  readonly cursor: Cursor;
  readonly conditions: Conditions;
  readonly draft: Draft = newDraft();

  constructor(
    marks: readonly Mark[],
    readonly ground: Ground,
  ) {
    this.cursor = new Cursor(marks);
    this.conditions = new Conditions(this.cursor, ground);
  }

  get numbers(): Field[] {
    return this.ground.fields.filter(({ kind }) => kind === 'number');
  }

  /** "and", "or" and commas before the next piece. */
  joint(): 'and' | 'or' | undefined {
    let joined: 'and' | 'or' | undefined;
    while (this.cursor.is('and', 'or') || this.cursor.peek().comma) {
      const or = isRole(this.cursor.take(), 'or');
      joined = or || joined === 'or' ? 'or' : 'and';
    }
    return joined;
  }

  /** Looks ahead: does a condition begin here? */
  isCondition(): boolean {
    const { at } = this.cursor;
    const found = this.conditions.next(false) !== undefined;
    this.cursor.at = at;
    return found;
  }

  /** Another field after "and" or a comma, that is no condition of its own. */
  nextInList(): true | undefined {
    const joint = this.joint();
    this.cursor.accept('group');
    const mark = this.cursor.peek();
    return joint === 'and' && !mark.total && isName(mark) && !this.isCondition() ? true : undefined;
  }

  /** The records as what is counted: "number of orders". */
  takeRecords(): Figure {
    this.cursor.take();
    this.draft.entity = true;
    return { type: 'count' };
  }
}

export const FIGURES = ['sum', 'avg', 'min', 'max'] as const;

/** Kinds of fields that a figure can be made of. */
export function kindsOf(type: Figure['type']): readonly Kind[] {
  return type === 'min' || type === 'max' ? ['number', ...DATES] : ['number'];
}

/** A mark that names a field and does nothing else. */
export function isName(mark: Mark): mark is Mark & { fields: readonly Field[] } {
  return mark.fields !== undefined && (mark.role === undefined || mark.role === 'filler');
}

export function isRecords(mark: Mark): boolean {
  return mark.entity === true || isRole(mark, 'record');
}

/** "Total sales" of a collection of sales may be their number or their amount. */
export function isFlow(reading: Reading, mark: Mark): boolean {
  return isSum([mark.text]) && !reading.draft.count && reading.numbers.length > 0;
}

/** Near enough for "which department" and "which departments", in both languages. */
export function isPlural(text: string): boolean {
  return /[sx]$/i.test(text) && !/(?:ss|us|is)$/i.test(text);
}
