import type { SortValue } from '@typed-collections/client';
import type { LiveRecord } from '../live/rows/live-rows.js';

/** A record as a page of the grid has it: long values are cut, and `_cut` names their fields. */
export interface GridRecord extends LiveRecord {
  readonly _id: string;
  readonly _etag?: string;
  readonly _cut?: readonly string[];
  readonly [field: string]: unknown;
}

/** Where a page begins or ends: a cursor of the service (empty: the first page, `end`: the last one), or a value. */
export type PageStart = { readonly cursor: string } | { readonly at: SortValue };

/** A page as the service returns it. */
export interface LoadedPage {
  readonly records: readonly GridRecord[];
  readonly next: string | null;
  readonly previous: string | null;
}

/** Reads one page. It throws the reason of the signal when it is aborted. */
export type LoadPage = (start: PageStart, signal: AbortSignal) => Promise<LoadedPage>;

/**
 * A page that the window knows. Its records may be dropped from memory and read again with `start`. A `forward` page has a
 * fixed beginning, because it was read with the cursor after the page before it; a backward page has a fixed end.
 */
export interface PageSlot {
  readonly start: PageStart;
  readonly forward: boolean;
  /** Undefined while the records are not in memory. */
  rows: readonly GridRecord[] | undefined;
  /** The ids of the records, also while the records are not in memory. */
  ids: readonly string[];
  next: string | null;
  previous: string | null;
  /** The records were read before a refresh or for other columns: they are shown until the page was read again. */
  stale: boolean;
  loading: AbortController | undefined;
  error: unknown;
}

export function newSlot(start: PageStart, forward: boolean): PageSlot {
  return {
    start,
    forward,
    rows: undefined,
    ids: [],
    next: null,
    previous: null,
    stale: false,
    loading: undefined,
    error: undefined,
  };
}

/**
 * Puts a page into its slot. Records may have been written since the neighbours were read, so the page is fitted between
 * them: records that the slots on its fixed side have are left out; on its open side it ends where the neighbour
 * begins. A page that no longer reaches its neighbour gets a new slot beside it for the records between them, and
 * neighbours behind the end of the list are removed.
 */
export function putPage(slots: PageSlot[], slot: PageSlot, page: LoadedPage): void {
  slot.next = page.next;
  slot.previous = page.previous;
  slot.stale = false;
  const cursor = slot.forward ? page.next : page.previous;
  removeEmpty(slots, slot, cursor);
  const place = slots.indexOf(slot);
  const step = slot.forward ? 1 : -1;
  const neighbour = slots[place + step];
  const fresh = withoutThoseBeside(page.records, slots, place, -step);
  if (neighbour === undefined || beginsWith(neighbour, cursor, slot.forward)) setRows(slot, fresh);
  else {
    const joined = upTo(fresh, neighbour, slot.forward);
    setRows(slot, joined ?? fresh);
    if (joined !== undefined) return;
    const beside = slot.forward ? place + 1 : place;
    if (cursor !== null) slots.splice(beside, 0, newSlot({ cursor }, slot.forward));
    else if (slot.forward) slots.splice(beside);
    else slots.splice(0, beside);
  }
}

/** Removes slots without records on the open side, unless the page goes on with their cursor. */
function removeEmpty(slots: PageSlot[], slot: PageSlot, cursor: string | null): void {
  for (;;) {
    const place = slots.indexOf(slot) + (slot.forward ? 1 : -1);
    const beside = slots[place];
    if (beside === undefined || beside.ids.length > 0 || beginsWith(beside, cursor, slot.forward)) return;
    beside.loading?.abort();
    slots.splice(place, 1);
  }
}

/** True if the slot is read with this cursor in this direction, so that nothing can be between. */
function beginsWith({ start, forward }: PageSlot, cursor: string | null, direction: boolean): boolean {
  return forward === direction && 'cursor' in start && start.cursor === cursor;
}

/**
 * The records that the slots in a direction do not have. A page may overlap several of them, because the slots between
 * two pages are as short as the list requires; behind one without any of the records there are no others.
 */
function withoutThoseBeside(
  records: readonly GridRecord[],
  slots: readonly PageSlot[],
  place: number,
  step: number,
): readonly GridRecord[] {
  let fresh = records;
  for (let other = place + step; other >= 0 && other < slots.length; other += step) {
    const known = new Set((slots[other] as PageSlot).ids);
    const left = fresh.filter(({ _id }) => !known.has(_id));
    if (known.size > 0 && left.length === fresh.length) break;
    fresh = left;
  }
  return fresh;
}

/** The records up to the neighbour on the open side; undefined if the page does not reach it. */
function upTo(
  records: readonly GridRecord[],
  { ids }: PageSlot,
  forward: boolean,
): readonly GridRecord[] | undefined {
  const known = new Set(ids);
  if (forward) {
    const first = records.findIndex(({ _id }) => known.has(_id));
    return first < 0 ? undefined : records.slice(0, first);
  }
  const last = records.findLastIndex(({ _id }) => known.has(_id));
  return last < 0 ? undefined : records.slice(last + 1);
}

function setRows(slot: PageSlot, rows: readonly GridRecord[]): void {
  slot.rows = rows;
  slot.ids = rows.map(({ _id }) => _id);
}
