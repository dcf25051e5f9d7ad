import { orgSchema } from '../database/org-schema.js';
import { newId } from '../kernel/id.js';
import { type CollectionShape, tableOf } from './collection-shape.js';
import { type Add, FENCE, fencedParameters, type Statement } from './statement.js';

/** SQLSTATE of `quota_take`: the records do not fit under `max_records`. */
export const QUOTA_FULL = 'QF001';

/**
 * By what a statement that adds records keeps `max_records`: a lease of room that was counted before, named by its
 * generation, or room that the statement takes from the quota itself for so many records.
 */
export type Quota =
  | { readonly generation: number }
  | { readonly generation?: undefined; readonly records: number; readonly most: number };

/** Parts of a statement that adds records: `holds` of its fence, and `taken`, a CTE to read behind the CTE `added`. */
export function quotaParts(
  shape: CollectionShape,
  quota: Quota,
  added: string,
  add: Add,
): { readonly holds: string; readonly taken: string } {
  if (quota.generation !== undefined) {
    const generation = add(quota.generation, 'bigint');
    return { holds: `${orgSchema(shape.orgId)}.quota_holds($1::uuid, ${generation})`, taken: '' };
  }
  const most = add(quota.most, 'bigint');
  return {
    holds: hasRoom(shape, add(quota.records, 'bigint'), most),
    taken: takenCte(shape, added, most),
  };
}

/** SQL that is true where there seems to be room for `records` more; takes the lock that all inserts share. */
export function hasRoom({ orgId }: CollectionShape, records: string, most: string): string {
  return `${orgSchema(orgId)}.quota_has_room($1::uuid, ${records}, ${most})`;
}

/** A CTE that takes room for the records added in the CTE `added`; it must be read. Fails with QF001. */
export function takenCte({ orgId }: CollectionShape, added: string, most: string): string {
  return `taken AS MATERIALIZED (SELECT ${orgSchema(orgId)}.quota_take($1::uuid, (SELECT count(*) FROM ${added}), ${most}))`;
}

/** Takes room for records that this transaction has added. Fails with QF001. */
export function takeStatement({ id, orgId }: CollectionShape, records: number, most: number): Statement {
  return {
    text: `SELECT ${orgSchema(orgId)}.quota_take($1::uuid, $2::bigint, $3::bigint)`,
    values: [id, records, most],
  };
}

/** A CTE that gives back room for the records deleted in the CTE `deleted`. */
export function returnedCte({ orgId }: CollectionShape, deleted: string, add: Add): string {
  return `returned AS (
      INSERT INTO ${orgSchema(orgId)}.quota_returns (collection_id, id, records)
      SELECT $1::uuid, ${add(newId(), 'uuid')}, count(*) FROM ${deleted} HAVING count(*) > 0)`;
}

/** Gives back room for records deleted in this transaction. */
export function returnStatement({ id, orgId }: CollectionShape, records: number): Statement {
  return {
    text: `INSERT INTO ${orgSchema(orgId)}.quota_returns (collection_id, id, records) VALUES ($1, $2, $3)`,
    values: [id, newId(), records],
  };
}

export interface LeaseRequest {
  readonly holder: string;
  /** Of the lease whose `unused` rest goes back. */
  readonly generation: number;
  readonly unused: number;
  readonly wanted: number;
  readonly most: number;
  /** True while inserts on leases of this holder are in flight. */
  readonly inFlight: boolean;
}

/** Leases room. Counts: 1, generation, room; none when the collection is gone. Room is 0 near the limit. */
export function leaseStatement({ id, orgId }: CollectionShape, request: LeaseRequest): Statement {
  const { holder, generation, unused, wanted, most, inFlight } = request;
  return {
    text: `SELECT 1, generation::float8, granted::int
      FROM ${orgSchema(orgId)}.quota_lease($1, $2, $3, $4, $5, $6, $7)`,
    values: [id, holder, generation, unused, wanted, most, inFlight],
  };
}

/** Gives back unused room of a lease, and ends it unless inserts are in flight. */
export function giveBackStatement(
  { id, orgId }: CollectionShape,
  { holder, generation, unused, inFlight }: Omit<LeaseRequest, 'wanted' | 'most'>,
): Statement {
  return {
    text: `SELECT ${orgSchema(orgId)}.quota_give_back($1, $2, $3, $4, $5)`,
    values: [id, holder, generation, unused, inFlight],
  };
}

/** Leaves an expired lease behind: "full" is not said before a count. */
export function leftBehindStatement({ id, orgId }: CollectionShape): Statement {
  return {
    text: `INSERT INTO ${orgSchema(orgId)}.quota_leases (collection_id, holder, expires_at) VALUES ($1, $2, '-infinity')`,
    values: [id, newId()],
  };
}

/**
 * How full a collection is. One row: records and leased room together; whether instances hold leases; whether leases were
 * left behind or a count is under way, so that the first number may be too high; and whether expired records take room.
 */
export function roomStatement(shape: CollectionShape): Statement {
  const schema = orgSchema(shape.orgId);
  const leases = `SELECT FROM ${schema}.quota_leases l WHERE l.collection_id = $1::uuid AND l.expires_at`;
  const expired = `EXISTS (SELECT FROM ${tableOf(shape)} t WHERE t.expires_at <= statement_timestamp())`;
  const text = `
    SELECT (q.used - coalesce((SELECT sum(r.records) FROM ${schema}.quota_returns r WHERE r.collection_id = $1::uuid), 0))::float8,
      EXISTS (${leases} > clock_timestamp()), EXISTS (${leases} <= clock_timestamp()) OR q.counting_until IS NOT NULL,
      ${shape.mayExpire ? expired : 'false'}
    FROM (${FENCE}) f, ${schema}.record_quotas q WHERE q.collection_id = $1::uuid`;
  return { text, values: fencedParameters(shape).values };
}
