import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { Clock } from '../kernel/clock.js';
import { unavailable } from '../kernel/sql-state.js';
import { insertStatement } from '../storage/insert.js';
import type { Row } from '../storage/record-layout.js';
import { RecordSlots } from '../storage/record-slots.js';
import { RecordStore } from '../storage/record-store.js';
import type { Statement } from '../storage/statement.js';
import { Contention } from './contention.service.js';
import { expiry, inOrderOf } from './record-batch.js';
import { type RecordAct, recordEvent } from './record-event.js';

/** Adds records within `max_records`. */
@Injectable()
export class RecordInserts {
  constructor(
    private readonly store: RecordStore,
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
    write = (statement: Statement): Promise<unknown> => this.store.write(statement),
  ): Promise<true | undefined> {
    const { max_records, ttl_days } = collection.settings;
    const ordered = inOrderOf(collection, rows, collection.uniques[0]?.properties ?? []);
    const batch = { json: JSON.stringify(ordered), expiresAt: expiry(this.clock, ttlDays ?? ttl_days) };
    const epoch = await this.slots.take(collection, max_records, rows.length);
    if (epoch === undefined) return undefined;
    try {
      // Made anew each time: events are in the order of what happened.
      const done = await this.contention.meet(collection, () =>
        write(insertStatement(collection, batch, epoch, recordEvent(collection, act))),
      );
      if (done === undefined) this.slots.forget(collection, epoch);
      return done === undefined ? undefined : true;
    } catch (error) {
      // A connection that was lost says nothing of what it was asked: the records may be there.
      if (unavailable(error) === undefined) this.slots.giveBack(collection, epoch, rows.length);
      throw error;
    }
  }
}
