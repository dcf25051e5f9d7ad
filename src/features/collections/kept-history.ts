import { DAY_MS } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { versionsTable } from '../../engine/storage/history/history-table.js';
import { beginHistory, endHistory } from '../../engine/storage/history/versions.js';
import type { TableAccess } from '../../engine/storage/table-access.js';
import { lockOutMaintenance } from '../../engine/storage/table-lock.js';
import { tableOf } from '../../engine/storage/table-sql.js';
import type { Queryable } from '../../platform/database/queryable.js';
import type { Collection } from './collection.entity.js';

/** The time since which a collection has kept what writes replace, after `history_days` was set to `days`. */
export function historySince(
  before: Pick<Collection, 'historySince' | 'settings'> | undefined,
  days: number,
  now: Date,
): Date | null {
  if (days === 0) return null;
  if (!before?.historySince) return now;
  return latest(before.historySince, daysBefore(now, before.settings.history_days));
}

/** The time by which writes are dated. */
export async function databaseTime(transaction: Queryable): Promise<Date> {
  const [{ now }] = await transaction.query(`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`);
  return now;
}

/**
 * How far the clock of an instance may be behind the database's, which dates writes: the error with which instances
 * measure it. A client may read the past at the time of a write that it has just seen.
 */
const CLOCK_ERROR_MS = 1_000;

/** The earliest instant that can be read; undefined when the collection keeps no history. */
export function earliestKept({ historySince, settings }: Collection, now: Date): Date | undefined {
  return historySince === null ? undefined : latest(historySince, daysBefore(now, settings.history_days));
}

/**
 * The instant of a read of the past. Throws 400 `HistoryUnavailable` for an instant that is not kept, and 400
 * `InvalidArguments` for one in the future.
 */
export function keptInstant(collection: Collection, instant: string, now: Date): Date {
  const at = new Date(instant);
  if (at.getTime() > now.getTime() + CLOCK_ERROR_MS)
    throw invalid('as_of: expects an instant that is not in the future');
  const earliest = earliestKept(collection, now);
  if (earliest !== undefined && at >= earliest) return at;
  throw unavailableHistory(collection, now);
}

/** 400 with the earliest instant that is kept. */
export function unavailableHistory(collection: Collection, now: Date): PlatformError {
  const earliest = earliestKept(collection, now);
  return new PlatformError(
    'HistoryUnavailable',
    earliest === undefined
      ? 'This collection keeps no history. Set history_days in its settings to keep it from then on.'
      : `The history of this collection begins at ${earliest.toISOString()}.`,
    { earliest: earliest?.toISOString() ?? null },
  );
}

/**
 * Begins or ends the history of a collection in the caller's transaction, when its setting has changed. A history begins
 * when its triggers exist: versions that other transactions replaced before are not kept. Locks the table, so the
 * transaction needs a lock timeout (`TABLE_LOCKS`).
 */
export async function switchHistory(
  tables: TableAccess,
  transaction: Queryable,
  before: Collection,
  after: Collection,
): Promise<void> {
  if ((before.historySince === null) === (after.historySince === null)) return;
  await lockOutMaintenance(transaction, tableOf(after));
  if (after.historySince === null) {
    await lockOutMaintenance(transaction, versionsTable(after));
    await endHistory(transaction, after);
    return;
  }
  after.retiredColumns = [];
  await beginHistory(tables, transaction, after);
  after.historySince = await databaseTime(transaction);
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
