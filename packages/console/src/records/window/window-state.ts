import type { PageStart } from './page-slot.js';

/** What the grid must know to draw itself. Every change of the window makes another one. */
export interface WindowState {
  /** The index of the first known row. Indexes stay with their rows while rows before them are found or forgotten. */
  readonly first: number;
  /** The index after the last known row. */
  readonly end: number;
  /** True if there are no rows before the first known one. */
  readonly atStart: boolean;
  /** True if there are no rows after the last known one. */
  readonly atEnd: boolean;
  /** True from `open` until the first page is there. The rows of before are shown meanwhile. */
  readonly isOpening: boolean;
  readonly isLoading: boolean;
  /** Why a page could not be read. `retry` reads it again. */
  readonly error: unknown;
  /** Names of fields in the records that were read since the last `open`. */
  readonly fields: readonly string[];
  /** Grows whenever records in memory change. */
  readonly version: number;
  /** Grows whenever another list, or the list at another place, is there: indexes begin anew. */
  readonly generation: number;
  /** Where the present list was begun. */
  readonly start: PageStart;
  /** The index of the first record of the whole list; undefined while it is not known. */
  readonly zero: number | undefined;
}

export const EMPTY: WindowState = {
  first: 0,
  end: 0,
  atStart: true,
  atEnd: true,
  isOpening: true,
  isLoading: true,
  error: undefined,
  fields: [],
  version: 0,
  generation: 0,
  start: { cursor: '' },
  zero: undefined,
};

export function isSame(one: WindowState, other: WindowState): boolean {
  return (Object.keys(one) as (keyof WindowState)[]).every(name => one[name] === other[name]);
}

export interface WindowLimits {
  /** Pages whose records stay in memory on each side of what is visible. */
  readonly pagesKept: number;
  /** Pages whose place is remembered. */
  readonly pagesKnown: number;
  /** Rows before and after what is visible that are read ahead. */
  readonly rowsAhead: number;
}

export const LIMITS: WindowLimits = { pagesKept: 4, pagesKnown: 250, rowsAhead: 250 };
