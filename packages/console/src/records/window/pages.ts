import { type GridRecord, type LoadedPage, type PageSlot, putPage } from './page-slot.js';

/** The pages that a window knows, in the order of the list, and the indexes of their rows. */
export class Pages {
  slots: PageSlot[] = [];
  /** The index of the first known row. */
  base = 0;

  /** The record of a row; undefined while it is not in memory. */
  at(index: number): GridRecord | undefined {
    let start = this.base;
    for (const { rows, ids } of this.slots) {
      if (index < start + ids.length) return rows?.[index - start];
      start += ids.length;
    }
    return undefined;
  }

  /** The id of the record of a row, also while the record is not in memory; undefined if the window does not know it. */
  idAt(index: number): string | undefined {
    let start = this.base;
    for (const { ids } of this.slots) {
      if (index < start + ids.length) return ids[index - start];
      start += ids.length;
    }
    return undefined;
  }

  /** The index of the row of a record; undefined if the window does not know it. */
  indexOf(id: string): number | undefined {
    let start = this.base;
    for (const { ids } of this.slots) {
      const place = ids.indexOf(id);
      if (place >= 0) return start + place;
      start += ids.length;
    }
    return undefined;
  }

  /** Replaces a record that is in memory. False if it is not. */
  update(id: string, change: (record: GridRecord) => GridRecord): boolean {
    for (const slot of this.slots) {
      const place = slot.ids.indexOf(id);
      const record = place < 0 ? undefined : slot.rows?.[place];
      if (record === undefined) continue;
      slot.rows = slot.rows?.with(place, change(record));
      return true;
    }
    return false;
  }

  get count(): number {
    return this.slots.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** True if the slot has rows between two indexes, or is one that was never read and touches them. */
  isNear(place: number, from: number, to: number): boolean {
    const start = this.startOf(place);
    return start <= to && start + (this.slots[place] as PageSlot).ids.length >= from;
  }

  /** Puts a page into its slot. The rows that are visible, from this index on, keep their indexes. */
  put(slot: PageSlot, page: LoadedPage, visible: number): void {
    const anchor = this.slots[this.slotAt(visible)];
    const isBefore = anchor !== undefined && this.slots.indexOf(slot) < this.slots.indexOf(anchor);
    const fixed = isBefore ? anchor : slot;
    const index = this.startOf(this.slots.indexOf(fixed));
    putPage(this.slots, slot, page);
    const moved = this.startOf(this.slots.indexOf(fixed)) - index;
    this.base -= moved;
  }

  startOf(place: number): number {
    let start = this.base;
    for (let before = 0; before < place; before += 1) start += this.slots[before]?.ids.length ?? 0;
    return start;
  }

  /** The place of the slot that has the row, or of the nearest one. */
  slotAt(index: number): number {
    let start = this.base;
    for (let place = 0; place < this.slots.length; place += 1) {
      start += this.slots[place]?.ids.length ?? 0;
      if (index < start) return place;
    }
    return Math.max(this.slots.length - 1, 0);
  }

  /** Forgets the pages at the end that is farther away. They are found again by the cursors of those that stay. */
  trim(low: number, high: number, most: number): void {
    while (this.slots.length > most) {
      const isFront = low > this.slots.length - 1 - high;
      const gone = isFront ? this.slots.shift() : this.slots.pop();
      gone?.loading?.abort();
      if (isFront) this.base += gone?.ids.length ?? 0;
    }
  }

  /** True if there are no rows before the first known one. */
  get atStart(): boolean {
    const head = this.slots[0];
    return head !== undefined && isRead(head) && head.previous === null;
  }

  /** True if there are no rows after the last known one. */
  get atEnd(): boolean {
    const tail = this.slots.at(-1);
    return tail !== undefined && isRead(tail) && tail.next === null;
  }
}

/** A slot that was read once knows its neighbours, also while its records are not in memory. */
export function isRead(slot: PageSlot): boolean {
  return slot.rows !== undefined || slot.ids.length > 0;
}

/** Removes the records of a page from memory. */
export function drop(slot: PageSlot): void {
  slot.loading?.abort();
  slot.loading = undefined;
  slot.rows = undefined;
  slot.stale = false;
}
