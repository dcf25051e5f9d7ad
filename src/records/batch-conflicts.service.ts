import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { canonical } from '../filter/update/index.js';
import { PlatformError } from '../kernel/errors.js';
import { physicalOf } from '../storage/collection-shape.js';
import type { Row } from '../storage/record-layout.js';
import { RecordStore } from '../storage/record-store.js';
import { conflictsStatement } from '../storage/upsert.js';
import { brokenUnique, directRefusal } from './record-errors.js';

/** Tells which records of a refused batch broke a unique constraint. */
@Injectable()
export class BatchConflicts {
  constructor(private readonly store: RecordStore) {}

  /** 422 `ConstraintViolation` with the offending rows for a broken unique; else what the error means anyway. */
  async refusal(error: unknown, collection: Collection, rows: readonly Row[]): Promise<unknown> {
    const unique = brokenUnique(error, collection);
    if (unique === undefined) return directRefusal(error, collection);
    const columns = unique.properties;
    const offenders = repeated(collection, columns, rows);
    if (offenders.length === 0) offenders.push(...(await this.existing(collection, columns, rows)));
    const [first] = offenders;
    return new PlatformError(
      'ConstraintViolation',
      `Nothing was written: ${columns.join(', ')} must be unique${first === undefined ? '' : `; records.${first} repeats an existing value`}.`,
      offenders.map(row => ({ row, column: columns[0], properties: columns })),
    );
  }

  private async existing(
    collection: Collection,
    columns: readonly string[],
    rows: readonly Row[],
  ): Promise<number[]> {
    const found = await this.store.read(
      collection,
      conflictsStatement(collection, columns, JSON.stringify(rows)),
    );
    const ids = new Set(found?.map(([id]) => id));
    return rows.flatMap((row, position) => (ids.has(row._id) ? [position] : []));
  }
}

/** Positions of rows that repeat an earlier row of the same batch; nulls differ from each other. */
function repeated(collection: Collection, columns: readonly string[], rows: readonly Row[]): number[] {
  const physical = columns.map(name => physicalOf(collection, name));
  const seen = new Set<string>();
  return rows.flatMap((row, position) => {
    const values = physical.map(column => row[column] ?? null);
    if (values.includes(null)) return [];
    const key = canonical(values);
    const again = seen.has(key);
    seen.add(key);
    return again ? [position] : [];
  });
}
