import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GridRecord, LoadPage, PageStart } from './page-slot.js';
import { RecordWindow } from './record-window.js';

const PAGE = 10;
const LIMITS = { pagesKept: 2, pagesKnown: 12, rowsAhead: 12 };

/** A list that pages are read from by cursor, as the service does. Records are sorted by their number. */
class FakeList {
  readonly requests: string[] = [];
  aborted = 0;
  fails: Error | undefined;
  private waiting: (() => void)[] = [];
  private held = false;

  constructor(public numbers: number[]) {}

  readonly load: LoadPage = async (start, signal) => {
    this.requests.push(describeStart(start));
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.aborted += 1;
        reject(signal.reason);
      });
      if (this.held) this.waiting.push(resolve);
      else queueMicrotask(resolve);
    });
    if (this.fails !== undefined) throw this.fails;
    return this.page(start);
  };

  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    for (const go of this.waiting.splice(0)) go();
  }

  private page(start: PageStart) {
    const { numbers } = this;
    const at = 'at' in start ? Number(start.at) : undefined;
    const cursor = 'cursor' in start ? start.cursor : '';
    const value = Number(cursor.slice(1));
    const isBackward = cursor === 'end' || cursor.startsWith('<');
    let found: number[];
    if (isBackward) {
      const before = cursor === 'end' ? numbers : numbers.filter(number => number < value);
      found = before.slice(-PAGE);
    } else {
      const from = at ?? (cursor === '' ? Number.NEGATIVE_INFINITY : value + 0.5);
      found = numbers.filter(number => number >= from).slice(0, PAGE);
    }
    const [first, last] = [found[0], found.at(-1)];
    const hasBefore = first !== undefined && numbers.some(number => number < first);
    const hasMore = last !== undefined && numbers.some(number => number > last);
    return {
      records: found.map(recordOf),
      next: hasMore && last !== undefined ? `>${last}` : null,
      previous: hasBefore && first !== undefined ? `<${first}` : null,
    };
  }
}

function describeStart(start: PageStart): string {
  return 'at' in start ? `at ${start.at}` : start.cursor;
}

function recordOf(number: number): GridRecord {
  return { _id: `id-${number}`, number };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function settled(window: RecordWindow): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (!window.getState().isLoading) return;
    await Promise.resolve();
  }
  throw new Error('the window is still loading');
}

function numbersOf(window: RecordWindow): (number | undefined)[] {
  const { first, end } = window.getState();
  return Array.from({ length: end - first }, (_, index) => window.at(first + index)?.number as number);
}

describe('a window over a list', () => {
  let list: FakeList;
  let window: RecordWindow;
  beforeEach(() => {
    list = new FakeList(upTo(500));
    window = new RecordWindow(LIMITS);
  });

  async function scrollTo(first: number, last = first + 4): Promise<void> {
    window.show(first, last);
    await settled(window);
  }

  it('reads the first page and what lies just ahead', async () => {
    await window.open(list.load);
    expect(window.getState()).toMatchObject({ first: 0, end: 10, atStart: true, atEnd: false });
    await scrollTo(0);
    expect(numbersOf(window)).toEqual(upTo(20));
    expect(list.requests).toEqual(['', '>9']);
  });

  it('shows every row once and in order on the way down and back up', async () => {
    await window.open(list.load);
    const down: number[] = [];
    for (let row = 0; row < 500; row += 5) {
      await scrollTo(row);
      for (let index = row; index < row + 5; index += 1) down.push(window.at(index)?.number as number);
    }
    expect(down).toEqual(upTo(500));
    expect(window.getState()).toMatchObject({ end: 500, atEnd: true });
    const up: number[] = [];
    for (let row = 495; row >= 0; row -= 5) {
      await scrollTo(row);
      for (let index = row + 4; index >= row; index -= 1) up.push(window.at(index)?.number as number);
    }
    expect(up).toEqual(upTo(500).reverse());
  });

  it('holds a bounded number of records and pages', async () => {
    await window.open(list.load);
    for (let row = 0; row < 300; row += 5) await scrollTo(row);
    const { first, end } = window.getState();
    expect(end - first).toBeLessThanOrEqual(LIMITS.pagesKnown * PAGE);
    const inMemory = numbersOf(window).filter(number => number !== undefined);
    expect(inMemory.length).toBeLessThanOrEqual((2 * LIMITS.pagesKept + 3) * PAGE);
  });

  it('begins at the end and reads backward to the beginning', async () => {
    await window.open(list.load, { cursor: 'end' });
    expect(numbersOf(window)).toEqual(upTo(500).slice(-10));
    expect(window.getState()).toMatchObject({ atEnd: true, atStart: false });
    const seen: number[] = [];
    for (let row = 9; seen.length < 500; row -= 1) {
      await scrollTo(row, row);
      seen.push(window.at(row)?.number as number);
    }
    expect(seen).toEqual(upTo(500).reverse());
    expect(window.getState().atStart).toBe(true);
  });

  it('begins at a value and goes on in both directions', async () => {
    await window.open(list.load, { at: 250 });
    expect(window.at(0)?.number).toBe(250);
    await scrollTo(0);
    const { first, end } = window.getState();
    expect([first, end]).toEqual([-20, 20]);
    expect(numbersOf(window)).toEqual(upTo(500).slice(230, 270));
  });

  it('keeps the index of a visible row while pages before it are found', async () => {
    await window.open(list.load, { at: 100 });
    await scrollTo(0);
    for (let row = 0; row > -60; row -= 5) await scrollTo(row);
    expect(window.at(-40)?.number).toBe(60);
    expect(window.indexOf('id-60')).toBe(-40);
  });

  it('drops pages that are far away and reads them again with their own cursor', async () => {
    await window.open(list.load);
    for (let row = 0; row < 100; row += 5) await scrollTo(row);
    expect(window.at(0)).toBeUndefined();
    list.requests.length = 0;
    await scrollTo(0);
    expect(window.at(0)?.number).toBe(0);
    expect(list.requests).toContain('');
  });

  it('aborts requests for pages that were scrolled past', async () => {
    await window.open(list.load);
    for (let row = 0; row < 100; row += 5) await scrollTo(row);
    list.hold();
    window.show(0, 4);
    expect(list.aborted).toBe(0);
    window.show(95, 99);
    expect(list.aborted).toBeGreaterThan(0);
    list.release();
    await settled(window);
    expect(window.at(95)?.number).toBe(95);
  });

  it('aborts what it reads when another list is opened', async () => {
    await window.open(list.load);
    list.hold();
    window.show(0, 4);
    const other = new FakeList([7]);
    await window.open(other.load);
    expect(list.aborted).toBe(1);
    expect(numbersOf(window)).toEqual([7]);
  });

  it('keeps the later list when the answer of an earlier one arrives after it', async () => {
    let answer: (() => void) | undefined;
    // A request that cannot be aborted any more.
    const late: LoadPage = start =>
      new Promise(resolve => {
        answer = () => resolve(list.load(start, new AbortController().signal));
      });
    const opened = window.open(late);
    await window.open(new FakeList([7]).load);
    answer?.();
    await opened;
    await settled(window);
    expect(numbersOf(window)).toEqual([7]);
  });

  it('keeps the rows of before until the first page of another list is there', async () => {
    await window.open(list.load);
    const other = new FakeList([7]);
    other.hold();
    const opened = window.open(other.load);
    expect(window.getState().isOpening).toBe(true);
    expect(window.at(0)?.number).toBe(0);
    other.release();
    await opened;
    expect(window.getState().isOpening).toBe(false);
    expect(numbersOf(window)).toEqual([7]);
  });

  it('reports why a page could not be read, and reads it when it is retried', async () => {
    await window.open(list.load);
    list.fails = new Error('the service is away');
    await scrollTo(0);
    expect(window.getState().error).toBe(list.fails);
    expect(list.requests).toHaveLength(2);
    list.fails = undefined;
    window.retry();
    await settled(window);
    expect(window.getState().error).toBeUndefined();
    expect(numbersOf(window)).toEqual(upTo(20));
  });

  it('reports why a list could not be opened, and opens it when it is retried', async () => {
    list.fails = new Error('refused');
    await window.open(list.load);
    expect(window.getState()).toMatchObject({ error: list.fails, first: 0, end: 0 });
    list.fails = undefined;
    window.retry();
    await settled(window);
    expect(window.at(0)?.number).toBe(0);
  });

  it('stays as it is when a place to jump to is refused', async () => {
    await window.open(list.load);
    await scrollTo(0);
    list.fails = new Error('not a value of this column');
    await expect(window.jump({ at: 5 })).rejects.toBe(list.fails);
    expect(window.getState()).toMatchObject({ error: undefined, isOpening: false, end: 20 });
    list.fails = undefined;
    await window.jump({ at: 5 });
    expect(window.at(0)?.number).toBe(5);
  });

  it('learns the names of fields from the records that it reads', async () => {
    await window.open(list.load);
    expect(window.getState().fields).toEqual(['_id', 'number']);
  });

  it('replaces a record that is in memory', async () => {
    await window.open(list.load);
    expect(window.update('id-3', record => ({ ...record, number: -3 }))).toBe(true);
    expect(window.at(3)?.number).toBe(-3);
    expect(window.update('id-400', record => record)).toBe(false);
  });

  it('tells nobody when nothing changed', async () => {
    await window.open(list.load);
    await scrollTo(0);
    let told = 0;
    window.subscribe(() => {
      told += 1;
    });
    window.show(1, 5);
    expect(told).toBe(0);
  });
});

describe('a window over a list that changes', () => {
  it('shows records that were inserted and removed meanwhile, each once, when pages are read again', async () => {
    const list = new FakeList(upTo(200).map(number => number * 10));
    const window = new RecordWindow(LIMITS);
    await window.open(list.load);
    for (let row = 0; row < 120; row += 5) {
      window.show(row, row + 4);
      await settled(window);
    }
    list.numbers = list.numbers.filter(number => number !== 100 && number !== 210);
    list.numbers = [...list.numbers, 55, 56, 57, 58, 59, 61, 62, 63, 64, 66, 67, 68].sort((a, b) => a - b);
    for (let row = 100; row >= -20; row -= 2) {
      window.show(Math.max(row, window.getState().first), row + 2);
      await settled(window);
    }
    const { first } = window.getState();
    const seen: unknown[] = [];
    for (let index = first; index < first + 25; index += 1) {
      window.show(index, index);
      await settled(window);
      seen.push(window.at(index)?.number);
    }
    expect(seen).toEqual(list.numbers.slice(0, 25));
  });

  it('agrees with the list after any changes and a refresh', async () => {
    const changes = fc.record({
      removed: fc.array(fc.integer({ min: 0, max: 119 }), { maxLength: 60 }),
      added: fc.uniqueArray(fc.integer({ min: 1, max: 1199 }), { maxLength: 60 }),
      start: fc.constantFrom<PageStart>({ cursor: '' }, { cursor: 'end' }, { at: 555 }),
      rows: fc.array(fc.integer({ min: -15, max: 15 }), { minLength: 1, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ removed, added, start, rows }) => {
        const list = new FakeList(upTo(120).map(number => number * 10));
        const window = new RecordWindow({ pagesKept: 2, pagesKnown: 40, rowsAhead: 12 });
        await window.open(list.load, start);
        let row = 0;
        for (const step of rows) {
          const { first, end } = window.getState();
          row = Math.min(Math.max(row + step, first), end - 1);
          window.show(row, row + 3);
          await settled(window);
        }
        const gone = new Set(removed.map(number => number * 10));
        const kept = list.numbers.filter(number => !gone.has(number));
        list.numbers = [...new Set([...kept, ...added])].sort((a, b) => a - b);
        window.refresh();
        await settled(window);
        // Up to the beginning, then down to the end, reading what is shown.
        for (
          let turn = 0;
          turn < 400 && !(window.getState().atStart && row <= window.getState().first);
          turn += 1
        ) {
          row = Math.max(row - 3, window.getState().first);
          window.show(row, row + 3);
          await settled(window);
        }
        const seen: (number | undefined)[] = [];
        for (let index = window.getState().first; index < window.getState().end; index += 1) {
          window.show(index, index);
          await settled(window);
          seen.push(window.at(index)?.number as number);
        }
        expect(seen).toEqual(list.numbers);
      }),
      {
        numRuns: 100,
        // A page that overlaps two slots before it.
        examples: [[{ removed: [66], added: [751, 752], start: { at: 555 }, rows: [5, 0] }]],
      },
    );
  });

  it('while another list is opened, a refresh opens that list with the new projection', async () => {
    const window = new RecordWindow(LIMITS);
    const before = new FakeList(upTo(50));
    await window.open(before.load);
    window.show(0, 8);
    await settled(window);
    const other = new FakeList(upTo(5).map(number => number + 100));
    other.hold();
    void window.open(other.load);
    const [asked, read] = [before.requests.length, other.requests.length];
    window.refresh(other.load);
    other.release();
    await settled(window);
    // No page is read with a cursor of the list of before, or shown with its projection.
    expect(other.requests.slice(read)).toEqual(['']);
    expect(before.requests).toHaveLength(asked);
    expect(window.getState().error).toBeUndefined();
    expect(numbersOf(window)).toEqual([100, 101, 102, 103, 104]);
  });
});
