import { Injectable } from '@nestjs/common';
import { SeenQueries } from '../../engine/storage/advice/seen-queries.js';
import type { AskedRead } from '../../engine/storage/explain/advice.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Rows } from '../../platform/database/statements.js';
import { type Access, CollectionAccess } from './collection-access.js';

/** A read of records as it was asked for, with its statement for each version of the collection. */
export interface RecordRead extends AskedRead {
  /** Reads the records as they were at this instant. */
  readonly asOf?: string | undefined;
  statement(current: Access): Statement;
}

/** Runs the reads of records that an index can make faster, and counts them for the advice on indexes. */
@Injectable()
export class RecordReads {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly seen: SeenQueries,
  ) {}

  /**
   * The rows of the read, cut after `maxBytes`. Throws 400 for values that the database refuses, and for an instant whose
   * history is not kept. Reads of the past are not counted for advice: no index contains replaced versions.
   */
  run(access: Access, read: RecordRead, maxBytes?: number): Promise<Rows> {
    const options = { maxBytes, caller: access.caller };
    return this.accesses.withVersionCheck(this.accesses.asOf(access, read.asOf), async (current, until) => {
      const { collection } = current;
      const statement = read.statement(current);
      const began = performance.now();
      try {
        const rows = await this.store.read(collection, statement, until, options);
        if (read.asOf === undefined) this.seen.add({ collection, asked: read, statement }, began);
        return rows;
      } catch (error) {
        throw queryRefusal(error);
      }
    });
  }
}
