import { Injectable } from '@nestjs/common';
import { invalid, type PlatformError } from '../../base/kernel/errors.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import type { Row } from '../../engine/storage/records/record-layout.js';
import { oversizeStatement } from '../../engine/storage/records/upsert.js';
import { isRefusedFor } from '../../engine/storage/refused-value.js';
import { ifStale } from '../../engine/storage/stale.js';
import type { Read } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import type { Collection } from '../collections/collection.entity.js';
import { directRefusal } from './record-writes.js';
import { uniqueRefusal } from './unique-conflicts.js';

interface RefusedBulk {
  /** The column of an upsert. */
  readonly key?: string;
  readonly code?: 'AlreadyExists';
  /** The author of new records. */
  readonly author?: string | null;
}

/** Finds the records of a refused bulk that the database refused. */
@Injectable()
export class BulkConflicts {
  constructor(private readonly store: RecordStore) {}

  /**
   * Returns 422 `ConstraintViolation`, or another `code`, with every offending row for a broken unique constraint, and 400 with the rows whose
   * upsert by `key` would make a record too large. Else the usual client error. `rowsOf` returns the rows in the order of
   * the request.
   */
  async refusal(
    error: unknown,
    collection: Collection,
    rowsOf: () => readonly Row[],
    { key, code, author = null }: RefusedBulk = {},
  ): Promise<unknown> {
    if (key !== undefined && isRefusedFor(error, 'size')) return this.oversize(collection, key, rowsOf());
    const broken = brokenUnique(error, collection);
    if (broken === undefined) return directRefusal(error, collection);
    const records = rowsOf().map((row, index) => ({
      index,
      id: row._id as string,
      after: { ...row, created_by: author },
    }));
    const replaced = key === undefined ? { ids: [] } : { key };
    return uniqueRefusal(this.store, collection, { broken, list: 'records', records, replaced, code });
  }

  private async oversize(collection: Collection, key: string, rows: readonly Row[]): Promise<PlatformError> {
    const statement = oversizeStatement(collection, key, JSON.stringify(rows));
    const offenders = await this.found(collection, rows, statement);
    const [first] = offenders;
    const subject = first === undefined ? 'a record' : `the record of records.${first}`;
    return invalid(
      `Nothing was written: ${subject} would be larger than 16 MiB.`,
      offenders.map(row => ({ row, column: null, problem: 'the record would be larger than 16 MiB' })),
    );
  }

  /** The positions of the rows whose ids the statement returns. */
  private async found(
    collection: Collection,
    rows: readonly Row[],
    statement: Read<string[]>,
  ): Promise<number[]> {
    const found = await this.store.readPrimary(collection, statement).catch(ifStale((): string[] => []));
    const ids = new Set(found);
    return rows.flatMap((row, position) => (ids.has(row._id as string) ? [position] : []));
  }
}
