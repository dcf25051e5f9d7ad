import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import type { Update } from '../filter/update/index.js';
import { sqlState } from '../kernel/sql-state.js';
import { changeStatement, type FieldChanges } from '../storage/change.js';
import { layoutOf } from '../storage/record-layout.js';
import { RecordStore } from '../storage/record-store.js';
import { RecordTransactions } from '../storage/record-transactions.js';
import type { Selection } from '../storage/selection.js';
import { LockedUpdates } from './locked-updates.service.js';
import { recordEvent } from './record-event.js';
import { refuseExcess, type Write, type Written } from './record-write.js';
import { sqlChanges } from './sql-changes.js';
import { typedUpdate } from './typed-update.js';

/** Applies updates to selected records: in one statement where SQL says it, else under a lock. */
@Injectable()
export class RecordUpdates {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly locked: LockedUpdates,
  ) {}

  /** Resolves to undefined when the collection has changed. Rejects with 400, or with the database's error. */
  async run(
    collection: Collection,
    update: Update,
    selection: Selection,
    write: Write,
  ): Promise<Written | undefined> {
    const layout = layoutOf(collection);
    const typed = typedUpdate(update, layout, write.now);
    const changes = sqlChanges(typed, layout);
    if (changes === undefined) return this.locked.run(collection, typed, selection, write);
    try {
      return await this.inOneStatement(
        collection,
        { ...changes, expiresAt: write.expiresAt },
        selection,
        write,
      );
    } catch (error) {
      // A number out of range: the operators say which, or that the difference is lost in rounding.
      if (sqlState(error) !== '22003') throw error;
      return this.locked.run(collection, typed, selection, write);
    }
  }

  private async inOneStatement(
    collection: Collection,
    changes: FieldChanges,
    selection: Selection,
    write: Write,
  ): Promise<Written | undefined> {
    const statement = changeStatement(collection, selection, changes, recordEvent(collection, write.act));
    const row = write.dryRun
      ? await this.transactions.run(
          collection,
          transaction => this.transactions.write(transaction, statement),
          write,
        )
      : (await this.store.read(collection, statement, undefined, write))?.[0];
    const [checks = 0, matched = 0, updated = 0, id] = (row ?? []) as [number?, number?, number?, string?];
    if (checks === 0) return undefined;
    refuseExcess(selection, matched);
    return { matched, updated, id };
  }
}
