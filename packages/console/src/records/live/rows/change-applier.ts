import type { RecordChange } from '../feed/ports.js';
import { LIVE_MARK, type LiveMark, type LiveRecord, type LiveRows } from './live-rows.js';

/** Milliseconds for which changes are collected before they are applied. */
const COLLECTED = 150;
/** Milliseconds for which a changed row is marked. */
const MARKED = 4_000;
/** The most records of one request. */
const AT_ONCE = 200;
/** Milliseconds after which rows that could not be read are read again. */
const RETRIED = 10_000;
/** After more changes at once, the pages of the grid are read again instead. */
const MOST = 1_000;

/**
 * Applies changes to the rows of the grid. Changed rows are read again, so that they look as the grid reads them: cut, and
 * with their tags. Inserted records are only counted, because showing them would move what somebody is reading.
 */
export class ChangeApplier<R extends LiveRecord> {
  private updated = new Set<string>();
  private inserted = new Set<string>();
  private readonly news = new Set<string>();
  /** Records that went while the present request was under way: its answer may still have them. */
  private readonly gone = new Set<string>();
  private readonly marks = new Map<string, ReturnType<typeof setTimeout>>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private working: Promise<void> = Promise.resolve();
  private readonly stop = new AbortController();

  constructor(
    private readonly rows: () => LiveRows<R>,
    /** Called with the number of new records that match the filter and are not shown yet. */
    private readonly onNews: (count: number) => void,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  apply(changes: readonly RecordChange[]): void {
    const rows = this.rows();
    for (const { type, record_id: id } of changes) {
      if (type === 'deleted' || type === 'expired') {
        this.remove(id);
        continue;
      }
      this.gone.delete(id);
      if (rows.knows(id)) this.updated.add(id);
      else if (type === 'inserted') this.inserted.add(id);
    }
    if (this.updated.size + this.inserted.size === 0) return;
    clearTimeout(this.again);
    this.timer ??= setTimeout(() => this.flush(), COLLECTED);
  }

  /** New records are shown now, or the list is another one. */
  forgetNews(): void {
    this.news.clear();
    this.onNews(0);
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.again);
    for (const timer of this.marks.values()) clearTimeout(timer);
    this.stop.abort();
  }

  private remove(id: string): void {
    this.gone.add(id);
    this.updated.delete(id);
    this.inserted.delete(id);
    if (this.news.delete(id)) this.onNews(this.news.size);
    this.unmarkLater(id, undefined);
    this.mark(id, 'deleted');
  }

  private flush(): void {
    this.timer = undefined;
    const { updated, inserted } = this;
    this.updated = new Set();
    this.inserted = new Set();
    this.working = this.working
      .then(() => this.read([...updated], [...inserted]))
      .catch((error: unknown) => {
        if (this.stop.signal.aborted) return;
        this.onFailure(error);
        this.keep(updated, inserted);
      });
  }

  /** Rows that could not be read are read with the next changes, or after a while. */
  private keep(updated: ReadonlySet<string>, inserted: ReadonlySet<string>): void {
    for (const id of updated) if (!this.gone.has(id)) this.updated.add(id);
    for (const id of inserted) if (!this.gone.has(id)) this.inserted.add(id);
    clearTimeout(this.again);
    if (this.timer === undefined) this.again = setTimeout(() => this.flush(), RETRIED);
  }

  private async read(updated: readonly string[], inserted: readonly string[]): Promise<void> {
    const { signal } = this.stop;
    this.gone.clear();
    if (updated.length > MOST) this.rows().refresh();
    else {
      for (const ids of parts(updated)) {
        for (const record of await this.rows().read(ids, signal)) {
          if (!this.gone.has(record._id)) this.replace(record);
        }
      }
    }
    for (const ids of parts(inserted)) {
      for (const id of await this.rows().matching(ids, signal)) if (!this.gone.has(id)) this.news.add(id);
    }
    if (inserted.length > 0) this.onNews(this.news.size);
  }

  private replace(record: R): void {
    const { _id: id } = record;
    const isShown = this.rows().update(id, () => ({ ...record, [LIVE_MARK]: 'changed' }));
    if (isShown)
      this.unmarkLater(
        id,
        setTimeout(() => this.mark(id, undefined), MARKED),
      );
  }

  private unmarkLater(id: string, timer: ReturnType<typeof setTimeout> | undefined): void {
    clearTimeout(this.marks.get(id));
    if (timer === undefined) this.marks.delete(id);
    else this.marks.set(id, timer);
  }

  private mark(id: string, mark: LiveMark | undefined): void {
    this.marks.delete(id);
    this.rows().update(id, record => ({ ...record, [LIVE_MARK]: mark }));
  }
}

/** The ids in parts that one request can read. */
export function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE);
}
