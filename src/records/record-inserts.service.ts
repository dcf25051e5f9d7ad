import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { Clock } from '../kernel/clock.js';
import { unavailable } from '../kernel/sql-state.js';
import { insertStatement, type RowBatch } from '../storage/insert.js';
import type { Row } from '../storage/record-layout.js';
import { RecordSlots } from '../storage/record-slots.js';
import { RecordStore } from '../storage/record-store.js';
import type { Statement } from '../storage/statement.js';
import { Contention } from './contention.service.js';
import { expiry, inOrderOf } from './record-batch.js';
import { type RecordAct, recordEvent } from './record-event.js';
import { SharedInserts } from './shared-inserts.service.js';

/** Records whose JSON is longer, in characters, are written by themselves. */
const SMALL = 8_192;

/** Adds records within `max_records`. */
@Injectable()
export class RecordInserts {
  constructor(
    private readonly store: RecordStore,
    private readonly shared: SharedInserts,
    private readonly slots: RecordSlots,
    private readonly contention: Contention,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves to undefined when the collection or its slots have changed. Rejects with the database's error, or that of
   * `write`, which runs the statement.
   */
  async append(
    collection: Collection,
    rows: readonly Row[],
    ttlDays: number | undefined,
    act: RecordAct,
    write?: (statement: Statement) => Promise<unknown>,
  ): Promise<true | undefined> {
    const { max_records, ttl_days } = collection.settings;
    const ordered = inOrderOf(collection, rows, collection.uniques[0]?.properties ?? []);
    const batch = { json: JSON.stringify(ordered), expiresAt: expiry(this.clock, ttlDays ?? ttl_days) };
    const epoch = await this.slots.take(collection, max_records, rows.length);
    if (epoch === undefined) return undefined;
    const isShared = write === undefined && mayShare(rows, batch, act);
    const run = (): Promise<unknown> => {
      const [row] = rows as [Row];
      if (isShared) return this.shared.write(collection, { row, json: batch.json.slice(1, -1), epoch, act });
      // Made anew each time: events are in the order of what happened.
      const statement = insertStatement(collection, batch, epoch, recordEvent(collection, act));
      return write === undefined ? this.store.write(collection, statement) : write(statement);
    };
    try {
      const done = await this.contention.meet(collection, run);
      if (done === undefined) this.slots.forget(collection, epoch);
      return done === undefined ? undefined : true;
    } catch (error) {
      // A connection that was lost says nothing of what it was asked: the records may be there.
      if (unavailable(error) === undefined) this.slots.giveBack(collection, epoch, rows.length);
      throw error;
    }
  }
}

/** A retry keeps its answer in a statement of its own. */
function mayShare(rows: readonly Row[], { json, expiresAt }: RowBatch, { call }: RecordAct): boolean {
  return rows.length === 1 && json.length <= SMALL && expiresAt === null && call.retry === undefined;
}
