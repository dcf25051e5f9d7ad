import {
  type GridRecord,
  type LoadedPage,
  type LoadPage,
  newSlot,
  type PageSlot,
  type PageStart,
  putPage,
} from './page-slot.js';

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

export interface WindowLimits {
  /** Pages whose records stay in memory on each side of what is visible. */
  readonly pagesKept: number;
  /** Pages whose place is remembered. */
  readonly pagesKnown: number;
  /** Rows before and after what is visible that are read ahead. */
  readonly rowsAhead: number;
}

const LIMITS: WindowLimits = { pagesKept: 4, pagesKnown: 250, rowsAhead: 250 };
const MAX_FIELDS = 300;

const EMPTY: WindowState = {
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

/**
 * The records of a list of any length, of which a bounded number is in memory. Pages are read by cursor in both
 * directions, starting at the first page, the last page or a value. Pages far from what is visible are dropped and read
 * again when they are scrolled to. Nothing is counted.
 */
export class RecordWindow {
  private slots: PageSlot[] = [];
  private base = 0;
  private visible: readonly [number, number] = [0, 0];
  private load: LoadPage | undefined;
  private opening: AbortController | undefined;
  private openingAt: PageStart = { cursor: '' };
  private openedAt: PageStart = { cursor: '' };
  private openError: unknown;
  private fields = new Set<string>();
  private fieldNames: readonly string[] = [];
  private version = 0;
  private generation = 0;
  private shownStart: PageStart = { cursor: '' };
  private zero: number | undefined;
  private state: WindowState = EMPTY;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly limits: WindowLimits = LIMITS) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): WindowState => this.state;

  /** Begins another list. A failure is in the state as `error`. */
  async open(load: LoadPage, start: PageStart = { cursor: '' }): Promise<void> {
    for (const slot of this.slots) slot.loading?.abort();
    this.load = load;
    this.openedAt = start;
    try {
      await this.begin(load, start);
    } catch (error) {
      this.slots = [];
      this.openError = error;
      this.changed();
    }
  }

  /** Begins the same list at another place. Throws what the service refuses; the list then stays as it is. */
  async jump(start: PageStart): Promise<void> {
    if (this.load === undefined) return;
    try {
      await this.begin(this.load, start);
    } finally {
      this.changed();
    }
  }

  /** Reads the page at a place. When it is there, it replaces the pages of before. */
  private async begin(load: LoadPage, start: PageStart): Promise<void> {
    this.opening?.abort();
    const opening = new AbortController();
    this.opening = opening;
    this.openingAt = start;
    this.openError = undefined;
    this.changed();
    try {
      const page = await load(start, opening.signal);
      if (this.opening === opening) this.replace(start, page);
    } catch (error) {
      if (this.opening !== opening) return;
      this.opening = undefined;
      throw error;
    }
  }

  private replace(start: PageStart, page: LoadedPage): void {
    for (const slot of this.slots) slot.loading?.abort();
    const slot = newSlot(start, !('cursor' in start && start.cursor === 'end'));
    this.opening = undefined;
    this.slots = [slot];
    this.base = 0;
    this.visible = [0, 0];
    this.fields = new Set();
    this.fieldNames = [];
    this.zero = undefined;
    this.shownStart = start;
    this.generation += 1;
    this.put(slot, page);
    this.changed();
  }

  /** Reads the pages again, those that are visible first, with another projection if `load` is given. */
  refresh(load: LoadPage | undefined = this.load): void {
    if (load === undefined) return;
    this.load = load;
    if (this.opening !== undefined) {
      // The pages of before are of another list, or are about to go.
      void this.open(load, this.openingAt);
      return;
    }
    if (this.slots.length === 0 || this.count() === 0) {
      void this.open(load, this.openedAt);
      return;
    }
    for (const slot of this.slots) {
      slot.loading?.abort();
      slot.loading = undefined;
      slot.error = undefined;
      slot.stale = true;
    }
    this.settle();
  }

  /** Reads again what could not be read. */
  retry(): void {
    if (this.load === undefined) return;
    if (this.openError !== undefined) {
      void this.open(this.load, this.openedAt);
      return;
    }
    for (const slot of this.slots) slot.error = undefined;
    this.settle();
  }

  /** Tells which rows are visible: pages around them are read, requests for pages far away are aborted. */
  show(first: number, last: number): void {
    if (this.visible[0] === first && this.visible[1] === last) return;
    this.visible = [first, last];
    if (this.opening === undefined) this.settle();
  }

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

  /** Replaces a record that is in memory, for example after a change of it was announced. False if it is not. */
  update(id: string, change: (record: GridRecord) => GridRecord): boolean {
    for (const slot of this.slots) {
      const place = slot.ids.indexOf(id);
      const record = place < 0 ? undefined : slot.rows?.[place];
      if (record === undefined) continue;
      slot.rows = slot.rows?.with(place, change(record));
      this.version += 1;
      this.changed();
      return true;
    }
    return false;
  }

  /** Aborts every request. The window can be opened again. */
  close(): void {
    this.opening?.abort();
    this.opening = undefined;
    for (const slot of this.slots) slot.loading?.abort();
  }

  private count(): number {
    return this.slots.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** Reads what is missing near the visible rows, and drops what is far away. */
  private settle(): void {
    const [first, last] = this.visible;
    const { rowsAhead, pagesKept } = this.limits;
    const [low, high] = [this.slotAt(first), this.slotAt(last)];
    this.slots.forEach((slot, place) => {
      const isKept = place >= low - pagesKept && place <= high + pagesKept;
      if (!isKept) drop(slot);
      else if (this.isNear(place, first - rowsAhead, last + rowsAhead)) this.read(slot);
    });
    this.extend(first - rowsAhead, last + rowsAhead);
    this.trim(low, high);
    this.changed();
  }

  /** True if the slot has rows between two indexes, or is one that was never read and touches them. */
  private isNear(place: number, from: number, to: number): boolean {
    const start = this.startOf(place);
    return start <= to && start + (this.slots[place] as PageSlot).ids.length >= from;
  }

  /** Adds a slot at an end of the known rows that is near. */
  private extend(from: number, to: number): void {
    const head = this.slots[0];
    const tail = this.slots.at(-1);
    if (head === undefined || tail === undefined) return;
    if (isRead(tail) && tail.next !== null && this.base + this.count() <= to) {
      const slot = newSlot({ cursor: tail.next }, true);
      this.slots.push(slot);
      this.read(slot);
    }
    if (isRead(head) && head.previous !== null && this.base >= from) {
      const slot = newSlot({ cursor: head.previous }, false);
      this.slots.unshift(slot);
      this.read(slot);
    }
  }

  /** Forgets the pages at the end that is farther away. They are found again by the cursors of those that stay. */
  private trim(low: number, high: number): void {
    while (this.slots.length > this.limits.pagesKnown) {
      const isFront = low > this.slots.length - 1 - high;
      const gone = isFront ? this.slots.shift() : this.slots.pop();
      gone?.loading?.abort();
      if (isFront) this.base += gone?.ids.length ?? 0;
    }
  }

  private read(slot: PageSlot): void {
    const isThere = slot.rows !== undefined && !slot.stale;
    if (isThere || slot.loading !== undefined || slot.error !== undefined || this.load === undefined) return;
    const loading = new AbortController();
    slot.loading = loading;
    this.load(slot.start, loading.signal).then(
      page => {
        if (slot.loading !== loading) return;
        slot.loading = undefined;
        if (this.slots.includes(slot)) this.put(slot, page);
        this.settle();
      },
      (error: unknown) => {
        if (slot.loading !== loading) return;
        slot.loading = undefined;
        if (loading.signal.aborted) return;
        slot.error = error;
        this.changed();
      },
    );
  }

  /** Puts a page into its slot. The rows that are visible keep their indexes. */
  private put(slot: PageSlot, page: LoadedPage): void {
    const anchor = this.slots[this.slotAt(this.visible[0])];
    const isBefore = anchor !== undefined && this.slots.indexOf(slot) < this.slots.indexOf(anchor);
    const fixed = isBefore ? anchor : slot;
    const index = this.startOf(this.slots.indexOf(fixed));
    putPage(this.slots, slot, page);
    const moved = this.startOf(this.slots.indexOf(fixed)) - index;
    this.base -= moved;
    this.learn(page.records);
    this.version += 1;
  }

  private learn(records: readonly GridRecord[]): void {
    const known = this.fields.size;
    for (const record of records) {
      for (const name in record) if (this.fields.size < MAX_FIELDS) this.fields.add(name);
    }
    if (this.fields.size !== known) this.fieldNames = [...this.fields];
  }

  private startOf(place: number): number {
    let start = this.base;
    for (let before = 0; before < place; before += 1) start += this.slots[before]?.ids.length ?? 0;
    return start;
  }

  /** The place of the slot that has the row, or of the nearest one. */
  private slotAt(index: number): number {
    let start = this.base;
    for (let place = 0; place < this.slots.length; place += 1) {
      start += this.slots[place]?.ids.length ?? 0;
      if (index < start) return place;
    }
    return Math.max(this.slots.length - 1, 0);
  }

  private changed(): void {
    const head = this.slots[0];
    const tail = this.slots.at(-1);
    const atStart = head !== undefined && isRead(head) && head.previous === null;
    if (atStart) this.zero = this.base;
    const state: WindowState = {
      first: this.base,
      end: this.base + this.count(),
      atStart,
      atEnd: tail !== undefined && isRead(tail) && tail.next === null,
      isOpening: this.opening !== undefined,
      isLoading: this.opening !== undefined || this.slots.some(({ loading }) => loading !== undefined),
      error: this.openError ?? this.slots.find(({ error }) => error !== undefined)?.error,
      fields: this.fieldNames,
      version: this.version,
      generation: this.generation,
      start: this.shownStart,
      zero: this.zero,
    };
    if (isSame(state, this.state)) return;
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** A slot that was read once knows its neighbours, also while its records are not in memory. */
function isRead(slot: PageSlot): boolean {
  return slot.rows !== undefined || slot.ids.length > 0;
}

function isSame(one: WindowState, other: WindowState): boolean {
  return (Object.keys(one) as (keyof WindowState)[]).every(name => one[name] === other[name]);
}

function drop(slot: PageSlot): void {
  slot.loading?.abort();
  slot.loading = undefined;
  slot.rows = undefined;
  slot.stale = false;
}
