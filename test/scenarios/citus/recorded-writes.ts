import { expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import type { TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';

/** A write of the value `n`, with the times of its request and its answer in milliseconds. */
interface Write {
  readonly n: number;
  readonly sent: number;
  answered: number;
  status: number;
}

/** Writes rising values to the field `n` of records, and what the service answered. */
export class RecordedWrites {
  readonly byRecord: ReadonlyMap<string, Write[]>;
  private n = 0;

  constructor(
    readonly app: TestApp,
    readonly collection: TestCollection,
    ids: readonly string[],
  ) {
    const inserted = { n: 0, sent: 0, answered: Date.now(), status: 200 };
    this.byRecord = new Map(ids.map(id => [id, [inserted]]));
  }

  get acknowledged(): number {
    return [...this.byRecord.values()].flat().filter(({ status }) => status === 200).length;
  }

  /** Writes one record, or all of them in a batch. Nothing else may write these records at the same time. */
  async next(ids: readonly string[]): Promise<void> {
    this.n += 1;
    const write: Write = { n: this.n, sent: Date.now(), answered: Number.POSITIVE_INFINITY, status: 0 };
    const [first] = ids as [string];
    const isBatch = this.n % 2 === 0;
    for (const id of isBatch ? ids : [first]) this.byRecord.get(id)?.push(write);
    const $set = { n: this.n };
    const { data, owner } = this.collection;
    const { status } = await (isBatch
      ? this.app.request('POST', `${data}/batch`, {
          ...owner,
          body: { operations: ids.map(_id => ({ update: { _id, update: { $set } } })) },
        })
      : this.app.request('PATCH', `${data}/${first}`, { ...owner, body: { $set } }));
    Object.assign(write, { status, answered: status === 200 ? Date.now() : Number.POSITIVE_INFINITY });
  }
}

/** Compares the history of each record, and reads of these instants, with what was written. */
export async function checkHistories(
  { app, collection, byRecord }: RecordedWrites,
  instants: readonly Date[],
): Promise<void> {
  for (const [id, writes] of byRecord) {
    const versions: { version: number; n: number; from: string; to: string | null }[] = [];
    for (let cursor = ''; ; ) {
      const page = await succeed(app, collection, 'GET', `/data/${id}/history?limit=100${cursor}`);
      for (const { version, valid_from: from, valid_to: to, record } of page.items)
        versions.unshift({ version, n: record.n, from, to });
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    // A refused write may have been stored if its answer was lost.
    const stored = new Set(versions.map(({ n }) => n));
    const expected = writes.filter(({ n, status }) => status === 200 || stored.has(n)).map(({ n }) => n);
    expect(versions.map(({ n }) => n)).toEqual(expected);
    expect(versions.map(({ version }) => version)).toEqual(expected.map((_, at) => at + 1));
    expect(versions.slice(0, -1).map(({ to }) => to)).toEqual(versions.slice(1).map(({ from }) => from));
    for (const instant of instants) {
      const { record } = await succeed(app, collection, 'GET', `/data/${id}?as_of=${instant.toISOString()}`);
      const at = instant.getTime();
      const least = writes.findLast(({ answered }) => answered < at)?.n;
      const most = writes.findLast(({ sent }) => sent <= at)?.n;
      expect(record.n, `record ${id} at ${instant.toISOString()}`).toBeGreaterThanOrEqual(least as number);
      expect(record.n, `record ${id} at ${instant.toISOString()}`).toBeLessThanOrEqual(most as number);
    }
  }
}
