import { type ErrorDetails, invalid, PlatformError } from '../../../base/kernel/errors.js';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { COLUMN_TYPES } from '../../../engine/columns/index.js';
import { declaredColumn } from '../../../engine/storage/collection-shape.js';
import { writeRefusal } from '../../../engine/storage/query-refusal.js';
import type { Offender } from '../../../engine/storage/table/alter.js';
import type { Duplicate, LongValues } from '../../../engine/storage/table/index-build.js';
import type { Collection } from '../collection.entity.js';
import { collectionNotFound } from '../collection-refusals.js';

/**
 * Lists records whose values do not fit the changed schema: 400 when a change of type would lose values, otherwise
 * 422.
 */
export function offendersRefusal(
  found: readonly Offender[],
  before: Collection,
  after: Collection,
): PlatformError {
  const details = found.map(({ _id, column, problem }) => ({
    _id,
    column,
    problem: problem === 'missing' ? 'must not be null or absent' : expectation(column, before, after),
  }));
  const [first] = details as [(typeof details)[number]];
  const message = `Nothing was changed: properties.${first.column}: the value in record ${first._id} ${first.problem}`;
  const loses = found.some(
    ({ column, problem }) => problem === 'misfit' && declaredColumn(before.columns, column) !== undefined,
  );
  return loses ? invalid(message, details) : new PlatformError('ConstraintViolation', message, details);
}

function expectation(column: string, before: Collection, after: Collection): string {
  const from = declaredColumn(before.columns, column)?.type;
  const to = declaredColumn(after.columns, column)?.type;
  if (to === undefined) throw new Error(`there is no column ${column}`);
  return from === undefined
    ? `does not fit: the column expects ${COLUMN_TYPES[to].expects}`
    : `does not convert from ${from} to ${to} without loss`;
}

/** Maps errors of PostgreSQL while a table is altered to client errors. */
export function alterRefusal(error: unknown): unknown {
  switch (sqlState(error)) {
    case '54011':
      return invalid(
        'properties: the types of columns were changed too often for one table; copy the records into a new collection',
      );
    case '42P01':
    case '3F000':
      return collectionNotFound();
    case '40P01':
    case '55P03':
      return busy();
    default:
      return writeRefusal(error);
  }
}

/** 422: records have equal values where a unique constraint is wanted. */
export function duplicatesRefusal(found: readonly Duplicate[]): PlatformError {
  const [first] = found;
  const example = first ? `: ${first.count} records have ${JSON.stringify(first.values).slice(0, 200)}` : '';
  return new PlatformError(
    'ConstraintViolation',
    `Nothing was changed: ${first?.properties.join(', ') ?? 'a column of a unique constraint'} must be unique${example}`,
    found as ErrorDetails,
  );
}

/** The refusal of equal values without the values; every other error as it is. */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof PlatformError) || !Array.isArray(error.details)) return error;
  const found = error.details as readonly Partial<Duplicate>[];
  const [first] = found;
  if (first?.values === undefined) return error;
  return new PlatformError(
    error.code,
    `Nothing was changed: ${first.properties?.join(', ')} must be unique: ${first.count} records have the same value`,
    found.map(({ values, ...rest }) => rest),
  );
}

/** 422: values are too long for an index; undefined when none was found. */
export function longValuesRefusal(found: readonly LongValues[]): PlatformError | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return new PlatformError(
    'ConstraintViolation',
    `Nothing was changed: in record ${first._id}, ${first.properties.join(' and ')} must be shorter. An index stores at most about 2,700 bytes of each record.`,
    found as ErrorDetails,
  );
}

function busy(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'A long read, export or change of this collection is running. Nothing was changed. Retry later.',
  );
}
