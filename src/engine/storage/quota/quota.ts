import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { Cte, joined, param, type Sql, sql } from '../../../base/sql/index.js';
import { lockKey } from '../../../platform/database/advisory-locks.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape, wholeOf } from '../collection-shape.js';
import { ResultColumns } from '../result-columns.js';
import { collectionId, type Read, type Statement, versionCheck } from '../statement.js';
import { tableOf } from '../table-sql.js';

/** SQLSTATE of `quota_take`: the records do not fit under `max_records`. */
const QUOTA_FULL = 'QF001';

/** 422: other writes use the quota that this number of records needs. An attempt may be repeated after it. */
export class QuotaUsed extends PlatformError {
  constructor(
    readonly records: number,
    most: number,
  ) {
    super(
      'CollectionFull',
      `The collection may have ${most} records, and ${records} more do not fit. Delete records or raise settings.max_records.`,
      { max_records: most, requested: records },
    );
  }
}

/** True for `QuotaUsed`, and for the error of a statement that took capacity which other writes use. */
export function isQuotaUsed(error: unknown): boolean {
  return error instanceof QuotaUsed || sqlState(error) === QUOTA_FULL;
}

/**
 * How a statement that adds records keeps `max_records`: by leased capacity, which was counted before and is named by its
 * generation, or by capacity for `records` that the statement takes from the quota itself.
 */
export type Quota =
  | { readonly generation: number }
  | { readonly generation?: undefined; readonly records: number; readonly most: number };

/**
 * Parts of a statement that adds records: `holds` for its version check, and a CTE that takes the capacity after the
 * records.
 */
export function quotaParts(
  shape: CollectionShape,
  quota: Quota,
): { readonly holds: Sql; readonly taken: ((added: Cte) => Cte) | undefined } {
  if (quota.generation !== undefined) {
    const generation = param(quota.generation, 'bigint');
    const holds = sql`${orgTable(shape.orgId, 'quota_holds')}(${collectionId(shape)}, ${generation})`;
    return { holds, taken: undefined };
  }
  const most = param(quota.most, 'bigint');
  return {
    holds: hasCapacity(shape, param(quota.records, 'bigint'), most),
    taken: added => takenCte(shape, added, most),
  };
}

/** SQL that is true when there seems to be capacity for `records` more. Takes the lock that all inserts share. */
export function hasCapacity(shape: CollectionShape, records: Sql, most: Sql): Sql {
  return sql`${orgTable(shape.orgId, 'quota_has_room')}(${collectionId(shape)}, ${records}, ${most})`;
}

/** Takes capacity for the records in `added`. The query must read this CTE. Fails with QF001. */
export function takenCte(shape: CollectionShape, added: Cte, most: Sql): Cte {
  const take = orgTable(shape.orgId, 'quota_take');
  const query = sql`SELECT ${take}(${collectionId(shape)}, (SELECT count(*) FROM ${added}), ${most})`;
  return new Cte('taken', query, { materialized: true });
}

/** Takes capacity for records that this transaction has added. Fails with QF001. */
export function takeStatement({ id, orgId }: CollectionShape, records: number, most: number): Sql {
  return sql`SELECT ${orgTable(orgId, 'quota_take')}(${param(id, 'uuid')}, ${param(records, 'bigint')}, ${param(most, 'bigint')})`;
}

/** As `takeStatement`, now. Throws `QuotaUsed`. */
export async function takeCapacity(
  transaction: Queryable,
  shape: CollectionShape,
  records: number,
  most: number,
): Promise<void> {
  await execute(transaction, takeStatement(shape, records, most)).catch(error => {
    throw isQuotaUsed(error) ? new QuotaUsed(records, most) : error;
  });
}

const RETURNED_COLUMNS = sql`collection_id, id, records`;

/** Releases the capacity (records that the quota still allows) of the records in `deleted`. */
export function returnedCte(shape: CollectionShape, deleted: Cte): Cte {
  const query = sql`
      INSERT INTO ${orgTable(shape.orgId, 'quota_returns')} (${RETURNED_COLUMNS})
      SELECT ${collectionId(shape)}, ${param(newId(), 'uuid')}, count(*) FROM ${deleted} HAVING count(*) > 0`;
  return new Cte('returned', query);
}

/** Gives back capacity for records deleted in this transaction. */
export function returnStatement({ id, orgId }: CollectionShape, records: number): Sql {
  return sql`INSERT INTO ${orgTable(orgId, 'quota_returns')} (${RETURNED_COLUMNS})
    VALUES (${param(id, 'uuid')}, ${param(newId(), 'uuid')}, ${param(records, 'bigint')})`;
}

export interface LeaseRequest {
  readonly holder: string;
  /** Generation of the lease whose `unused` capacity is given back. */
  readonly generation: number;
  readonly unused: number;
  readonly wanted: number;
  readonly most: number;
  /** True while inserts that use leases of this holder are in flight. */
  readonly inFlight: boolean;
}

/** Leases capacity. Counts: 1, generation, capacity; none when the collection is gone. The capacity is 0 near the limit. */
export function leaseStatement(shape: CollectionShape, request: LeaseRequest): Statement {
  const { holder, generation, unused, wanted, most, inFlight } = request;
  const values = [
    collectionId(shape),
    param(holder, 'uuid'),
    param(generation, 'bigint'),
    param(unused, 'bigint'),
    param(wanted, 'bigint'),
    param(most, 'bigint'),
    param(inFlight, 'boolean'),
  ];
  return {
    query: sql`SELECT 1, generation::float8, granted::int FROM ${orgTable(shape.orgId, 'quota_lease')}(${joined(values)})`,
  };
}

/** Gives back unused capacity of a lease, and ends it unless inserts are in flight. */
export function giveBackStatement(
  shape: CollectionShape,
  { holder, generation, unused, inFlight }: Omit<LeaseRequest, 'wanted' | 'most'>,
): Statement {
  const values = [
    collectionId(shape),
    param(holder, 'uuid'),
    param(generation, 'bigint'),
    param(unused, 'bigint'),
    param(inFlight, 'boolean'),
  ];
  return { query: sql`SELECT ${orgTable(shape.orgId, 'quota_give_back')}(${joined(values)})` };
}

/** Adds an expired lease, so that the collection is not reported as full before a count. */
export function leftBehindStatement(shape: CollectionShape): Statement {
  return {
    query: sql`INSERT INTO ${orgTable(shape.orgId, 'quota_leases')} (collection_id, holder, expires_at)
      VALUES (${collectionId(shape)}, ${param(newId(), 'uuid')}, '-infinity')`,
  };
}

/** How full a collection is. */
export interface Capacity {
  /** Records and leased capacity together. */
  readonly used: number;
  /** True when instances hold leases. */
  readonly isLeased: boolean;
  /** True when leases have expired or a count is running, so that `used` may be too high. */
  readonly isDoubtful: boolean;
  readonly hasExpired: boolean;
}

export function capacityStatement(shape: CollectionShape): Read<Capacity> {
  const [id, check] = [collectionId(shape), versionCheck(wholeOf(shape))];
  const [quotas, leases, returns] = ['record_quotas', 'quota_leases', 'quota_returns'].map(name =>
    orgTable(shape.orgId, name),
  ) as [Sql, Sql, Sql];
  const lease = sql`SELECT FROM ${leases} l WHERE l.collection_id = ${id} AND l.expires_at`;
  const expired = sql`EXISTS (SELECT FROM ${tableOf(shape)} t WHERE t.expires_at <= statement_timestamp())`;
  const columns = new ResultColumns<Capacity>({
    used: sql`(q.used - coalesce((SELECT sum(r.records) FROM ${returns} r WHERE r.collection_id = ${id}), 0))::float8`,
    isLeased: sql`EXISTS (${lease} > clock_timestamp())`,
    isDoubtful: sql`EXISTS (${lease} <= clock_timestamp()) OR q.counting_until IS NOT NULL`,
    hasExpired: shape.mayExpire ? expired : sql`false`,
  });
  return {
    query: sql`SELECT ${columns.list} FROM (${check}) f, ${quotas} q WHERE q.collection_id = ${id}`,
    decode: ([row]) => columns.object(row!),
  };
}

/**
 * Waits until no insert into the collection is in flight, and blocks new ones until the transaction ends. Every insert
 * holds this lock shared (`quota_holds`, `quota_has_room`).
 */
export function insertsLockStatement({ id }: CollectionShape): Sql {
  return sql`SELECT pg_advisory_xact_lock(${lockKey('inserts', sql`${param(id, 'uuid')}::text`)})`;
}
