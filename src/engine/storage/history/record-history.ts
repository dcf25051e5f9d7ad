import { joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { alive, type CollectionShape, SYSTEM_FIELDS } from '../collection-shape.js';
import { rowJson } from '../records/row-json.js';
import { seenVersions } from '../restricted/seen-versions.js';
import { ResultColumns } from '../result-columns.js';
import { type Read, unlessLong, versionCheck } from '../statement.js';
import { tableOf } from '../table-sql.js';
import { isDeletion, isKept, versionsTable } from './history-table.js';
import { versionText } from './version-content.js';

/** A version of a record, with the write that made it. */
export interface RecordVersion {
  /** JSON text of the record as it was shown; null while it was deleted. */
  readonly record: string | null;
  readonly version: number;
  readonly validFrom: string;
  readonly validTo: string | null;
  readonly operation: string;
  /** JSON text of the actor, the id of the event and of its request; null when no event names the record. */
  readonly actor: string | null;
  readonly eventId: string | null;
  readonly correlationId: string | null;
  /** JSON list of the top-level fields that the write changed. */
  readonly changed: string;
}

/** Versions in order. */
interface RecordVersions {
  readonly versions: readonly RecordVersion[];
  /** True when further versions were left out because of their size. */
  readonly isCut: boolean;
}

/** Which versions of a record to read. */
export interface HistoryQuery {
  readonly recordId: string;
  readonly limit: number;
  /** Only versions with a smaller number. */
  readonly before: number | undefined;
}

/**
 * The versions of a record, the newest first: the present one, and those that writes have replaced. Their texts are
 * limited (`unlessLong`). Version 1 is mostly made by an insert, which keeps nothing: its event is found by the record's
 * id.
 */
export function historyStatement(
  shape: CollectionShape,
  { recordId, limit, before }: HistoryQuery,
): Read<RecordVersions> {
  const record = rowJson(shape);
  const stored = shape.historySince ? storedVersions(shape, recordId, shape.historySince) : NOTHING_STORED;
  const older = before === undefined ? NOTHING : sql` WHERE a.version < ${param(before, 'integer')}`;
  const instant = (value: Sql) => COLUMN_TYPES.datetime.toJson(value);
  const { shown, longest } = unlessLong(sql`r.record`);
  const present = sql`
      SELECT t.version, t.updated_at AS valid_from, NULL::timestamptz AS valid_to, t.created_at,
        ${record.text} AS record
      FROM ${tableOf(shape)} t ${record.join} WHERE t._id = ${param(recordId, 'uuid')} AND ${alive(shape)}`;
  const isGone = sql`r.record IS NULL`;
  const columns = new ResultColumns<RecordVersion>({
    record: shown,
    version: sql`l.version`,
    validFrom: instant(sql`l.valid_from`),
    validTo: instant(
      sql`coalesce(l.valid_to, CASE WHEN ${isGone} THEN coalesce(n.valid_from, (SELECT valid_from FROM present)) END)`,
    ),
    operation: sql`coalesce(split_part(e.type, '.', 3), CASE WHEN ${isGone} THEN 'deleted' WHEN b.is_deletion OR ${INSERTED} THEN 'inserted' ELSE 'updated' END)`,
    actor: ifAuthorSeen(shape, sql`e.actor::text`),
    eventId: ifAuthorSeen(shape, sql`e.id::text`),
    correlationId: ifAuthorSeen(shape, sql`e.correlation_id`),
    changed: sql`c.changed`,
  });
  // A version without content follows a deletion. It ends when the record is there again.
  const query = sql`
    WITH present AS MATERIALIZED (${present}),
    listed AS MATERIALIZED (
      SELECT a.* FROM (${stored.listed}SELECT version, valid_from, valid_to, created_at FROM present) a${older}
      ORDER BY a.version DESC LIMIT ${literal(Math.trunc(limit))})
    SELECT p.* FROM (${versionCheck(shape)}) f LEFT JOIN LATERAL (
      SELECT ${columns.list}
      FROM listed l
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT record FROM present WHERE version = l.version), ${stored.text}) AS record OFFSET 0) r
      LEFT JOIN LATERAL (${stored.preceding} OFFSET 0) b ON true
      LEFT JOIN LATERAL (${stored.following}) n ON true
      LEFT JOIN LATERAL (${eventOf(shape, recordId)}) e ON true
      CROSS JOIN LATERAL (${changedFields()}) c
      ORDER BY l.version DESC) p ON true`;
  return {
    query,
    longest,
    // One row of nulls stands for no version.
    decode: rows => ({
      versions: columns.value(rows[0]!, 'version') === null ? [] : rows.map(row => columns.object(row)),
      isCut: rows.isCut === true,
    }),
  };
}

/** SQL of what tells who wrote a version: null for a caller who does not see this of every record. */
function ifAuthorSeen({ seen }: CollectionShape, value: Sql): Sql {
  const isSeen = seen === undefined || (seen.sees(UPDATED_BY) && !seen.present.has(UPDATED_BY));
  return isSeen ? value : sql`NULL::text`;
}

const UPDATED_BY = '_updated_by';

/** SQL of what is stored of a record's versions. */
interface StoredVersions {
  /** A query of the versions to list, with `UNION ALL` after it. */
  readonly listed: Sql;
  /** The text of the version `l`. */
  readonly text: Sql;
  /** Queries of at most one row: the versions before and after `l`. */
  readonly preceding: Sql;
  readonly following: Sql;
}

function storedVersions(shape: CollectionShape, recordId: string, historySince: Date): StoredVersions {
  const versions = versionsTable(shape.seen?.whole ?? shape);
  const [v, since] = [sql`v`, param(historySince, 'timestamptz')];
  const ofRecord = sql`v.record_id = ${param(recordId, 'uuid')}`;
  const seen = shape.seen && seenVersions(shape.seen);
  const [text, isPresent] = [seen?.text ?? versionText(shape), isKept(v)];
  return {
    listed: sql`
        SELECT v.version, v.valid_from, CASE WHEN v.schema IS NOT NULL THEN v.valid_to END AS valid_to, v.created_at
        FROM ${versions} v WHERE ${ofRecord} AND v.valid_to > ${since} AND ${isPresent}
          AND (v.expires_at IS NULL OR v.expires_at > statement_timestamp())${seen ? sql` AND ${seen.isSeen}` : NOTHING}
        UNION ALL `,
    text: sql`(SELECT ${text} FROM ${versions} v WHERE ${ofRecord} AND v.version = l.version)`,
    // It names the event of the version `l` only if the write was after `history_since`.
    preceding: sql`
        SELECT v.version, v.event_id, ${isDeletion(v)} AS is_deletion, ${text} AS record
        FROM ${versions} v WHERE ${ofRecord} AND v.version = l.version - 1 AND l.valid_from >= ${since}`,
    following: sql`SELECT v.valid_from FROM ${versions} v WHERE ${ofRecord} AND v.version = l.version + 1 AND ${isPresent}`,
  };
}

/** A collection without a history. */
const NOTHING_STORED: StoredVersions = {
  listed: NOTHING,
  text: sql`NULL`,
  preceding: sql`SELECT NULL::integer AS version, NULL::uuid AS event_id, false AS is_deletion, NULL::text AS record`,
  following: sql`SELECT NULL::timestamptz AS valid_from`,
};

/** SQL that is true for a version `l` that an insert made. */
const INSERTED = sql`l.valid_from = l.created_at`;

/** How far the clock of an instance, which makes the ids of events, may be from the database's. */
const CLOCKS_DIFFER = sql`interval '2 minutes'`;

/** SQL of the event that made the version `l`: the one that ended the version before, `b`, or the insert that names the record. */
function eventOf(shape: CollectionShape, recordId: string): Sql {
  const log = orgTable(shape.orgId, 'audit_events');
  const columns = sql`type, actor, id, correlation_id`;
  const firstId = (time: Sql) =>
    sql`(lpad(to_hex((date_part('epoch', ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
  return sql`
    SELECT ${columns} FROM ${log} WHERE id = b.event_id
    UNION ALL
    (SELECT ${columns} FROM ${log} a WHERE b.version IS NULL AND ${INSERTED} AND a.target->>'id' = ${param(shape.id, 'text')}
      AND a.id BETWEEN ${firstId(sql`l.valid_from - ${CLOCKS_DIFFER}`)} AND ${firstId(sql`l.valid_from + ${CLOCKS_DIFFER}`)}
      AND a.record_ids @> ARRAY[${param(recordId, 'uuid')}] ORDER BY a.id LIMIT 1)`;
}

/** SQL of the fields in which the record `r` differs from that of the version before, `b`; null and absent are the same. */
function changedFields(): Sql {
  const document = (record: Sql) => sql`coalesce(${record}, '{}')::jsonb`;
  const value = (fields: Sql) => sql`nullif(${fields} -> key, 'null'::jsonb)`;
  const system = joined(SYSTEM_FIELDS.map(name => literal(name)));
  // Not a full join of the fields, with which Citus fails when it reads the version on the coordinator.
  return sql`
    SELECT coalesce(json_agg(key ORDER BY key), '[]')::text AS changed
    FROM (SELECT ${document(sql`r.record`)} AS now, ${document(sql`b.record`)} AS was OFFSET 0) d
    CROSS JOIN LATERAL jsonb_object_keys(d.now || d.was) key
    WHERE r.record IS NOT NULL AND ${value(sql`d.now`)} IS DISTINCT FROM ${value(sql`d.was`)}
      AND key <> ALL(ARRAY[${system}])`;
}
