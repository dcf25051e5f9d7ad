import {
  type GridRecord,
  type LoadedPage,
  type LoadPage,
  newSlot,
  type PageSlot,
  type PageStart,
} from './page-slot.js';
import { drop, isRead, Pages } from './pages.js';
import { EMPTY, isSame, LIMITS, type WindowLimits, type WindowState } from './window-state.js';

const MAX_FIELDS = 300;

/**
 * The records of a list of any length, of which a bounded number is in memory. Pages are read by cursor in both
 * directions, starting at the first page, the last page or a value. Pages far from what is visible are dropped and read
 * again when they are scrolled to. Nothing is counted.
 */
export class RecordWindow {
  private readonly pages = new Pages();
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
    for (const slot of this.pages.slots) slot.loading?.abort();
    this.load = load;
    this.openedAt = start;
    try {
      await this.begin(load, start);
    } catch (error) {
      this.pages.slots = [];
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
    for (const slot of this.pages.slots) slot.loading?.abort();
    const slot = newSlot(start, !('cursor' in start && start.cursor === 'end'));
    this.opening = undefined;
    this.pages.slots = [slot];
    this.pages.base = 0;
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
    if (this.pages.slots.length === 0 || this.pages.count === 0) {
      void this.open(load, this.openedAt);
      return;
    }
    for (const slot of this.pages.slots) {
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
    for (const slot of this.pages.slots) slot.error = undefined;
    this.settle();
  }

  /** Tells which rows are visible: pages around them are read, requests for pages far away are aborted. */
  show(first: number, last: number): void {
    if (this.visible[0] === first && this.visible[1] === last) return;
    this.visible = [first, last];
    if (this.opening === undefined) this.settle();
  }

  /** The record, or the id, of a row and the row of an id; undefined for what is not in memory, or not known. */
  readonly at = (index: number) => this.pages.at(index);
  readonly idAt = (index: number) => this.pages.idAt(index);
  readonly indexOf = (id: string) => this.pages.indexOf(id);

  /** Replaces a record that is in memory, for example after a change of it was announced. False if it is not. */
  update(id: string, change: (record: GridRecord) => GridRecord): boolean {
    const isThere = this.pages.update(id, change);
    if (isThere) this.version += 1;
    this.changed();
    return isThere;
  }

  /** Aborts every request. The window can be opened again. */
  close(): void {
    this.opening?.abort();
    this.opening = undefined;
    for (const slot of this.pages.slots) slot.loading?.abort();
  }

  /** Reads what is missing near the visible rows, and drops what is far away. */
  private settle(): void {
    const [first, last] = this.visible;
    const { rowsAhead, pagesKept } = this.limits;
    const [low, high] = [this.pages.slotAt(first), this.pages.slotAt(last)];
    this.pages.slots.forEach((slot, place) => {
      const isKept = place >= low - pagesKept && place <= high + pagesKept;
      if (!isKept) drop(slot);
      else if (this.pages.isNear(place, first - rowsAhead, last + rowsAhead)) this.read(slot);
    });
    this.extend(first - rowsAhead, last + rowsAhead);
    this.pages.trim(low, high, this.limits.pagesKnown);
    this.changed();
  }

  /** Adds a slot at an end of the known rows that is near. */
  private extend(from: number, to: number): void {
    const head = this.pages.slots[0];
    const tail = this.pages.slots.at(-1);
    if (head === undefined || tail === undefined) return;
    if (isRead(tail) && tail.next !== null && this.pages.base + this.pages.count <= to) {
      const slot = newSlot({ cursor: tail.next }, true);
      this.pages.slots.push(slot);
      this.read(slot);
    }
    if (isRead(head) && head.previous !== null && this.pages.base >= from) {
      const slot = newSlot({ cursor: head.previous }, false);
      this.pages.slots.unshift(slot);
      this.read(slot);
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
        if (this.pages.slots.includes(slot)) this.put(slot, page);
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

  private put(slot: PageSlot, page: LoadedPage): void {
    this.pages.put(slot, page, this.visible[0]);
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

  private changed(): void {
    const { base, count, slots, atStart, atEnd } = this.pages;
    if (atStart) this.zero = base;
    const state: WindowState = {
      first: base,
      end: base + count,
      atStart,
      atEnd,
      isOpening: this.opening !== undefined,
      isLoading: this.opening !== undefined || slots.some(({ loading }) => loading !== undefined),
      error: this.openError ?? slots.find(({ error }) => error !== undefined)?.error,
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
