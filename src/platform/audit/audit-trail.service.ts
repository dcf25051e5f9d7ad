import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { invalid } from '../../base/kernel/errors.js';
import { SignedIdCursor } from '../../base/kernel/signed-cursor.js';
import { joined, literal, looseIndexScan, type Param, param, type Sql, sql } from '../../base/sql/index.js';
import { Secrets } from '../config/secrets.js';
import { execute } from '../database/queryable.js';
import {
  type AuditPageView,
  type AuditRow,
  auditEventView,
  type ListAuditEventsQuery,
  type ListCollectionAuditQuery,
} from './audit.dto.js';
import { auditTable } from './audit-log.js';

/** Conditions that narrow a list of events. */
export interface AuditConditions {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Id of the actor. */
  readonly actor?: string | undefined;
  /** The correlation id of the request that wrote the event. */
  readonly correlation?: string | undefined;
  /** Only events with a smaller id. */
  readonly before?: string | undefined;
}

interface CollectionAuditConditions extends AuditConditions {
  /** Only events that name this record. */
  readonly record?: string | undefined;
}

/**
 * Maximum difference between the clocks of instances, which create ids, and the database's, which sets `created_at`.
 */
const CLOCKS_DIFFER_MS = 3_600_000;

/** An insert whose records got their ids longer ago than this is not found by their ids. */
const LONGEST_INSERT_MS = 3_600_000;

/** Nearly every event of an insert gets its id within this time of the ids of its records. */
const USUAL_INSERT_MS = 60_000;

/** The columns of an event that the log shows. */
const COLUMNS = sql`id, type, created_at, actor, target, count, record_ids, changes, correlation_id, ip`;

/** Events whose target is not the collection but belongs to it; `changes` name the collection. */
const BELONGING = [
  'collections.apikeys.created',
  'collections.apikeys.updated',
  'collections.apikeys.rotated',
  'collections.apikeys.revoked',
];

const INSERTED = literal('collections.records.inserted');

/**
 * The newest events about a collection and its keys, by two index scans: by target for the collection, and by type for
 * its keys. Events about keys are few. They are materialized, otherwise the planner would scan the whole log for them.
 */
export function collectionTrail(
  orgId: string,
  collectionId: string,
  { record, ...conditions }: CollectionAuditConditions,
  limit: number,
): Sql {
  const [id, most] = [param(collectionId, 'text'), param(limit, 'bigint')];
  const narrowed = joined(narrowing(conditions), ' AND ');
  const log = auditTable(orgId);
  if (record !== undefined) return recordTrail(log, id, record, narrowed, most);
  return sql`
    WITH belonging AS MATERIALIZED (
      SELECT ${COLUMNS} FROM ${log} WHERE type = ANY(${param(BELONGING, 'text[]')}) AND ${narrowed})
    (SELECT ${COLUMNS} FROM ${log} WHERE target->>'id' = ${id} AND ${narrowed} ORDER BY id DESC LIMIT ${most})
    UNION ALL
    (SELECT ${COLUMNS} FROM belonging
     WHERE ${id} IN (changes->'after'->>'collectionId', changes->'before'->>'collectionId')
     ORDER BY id DESC LIMIT ${most})
    ORDER BY id DESC LIMIT ${most}`;
}

/**
 * The newest events that name one record. The index on record ids leaves out inserts, so that inserts do not have to
 * maintain it. The event of an insert got its id shortly after its records got theirs: it is searched for in the two
 * minutes around them, and only if it is not there in the hours around them.
 */
function recordTrail(log: Sql, collectionId: Param, record: string, narrowed: Sql, most: Param): Sql {
  const named = sql`target->>'id' = ${collectionId} AND record_ids @> ARRAY[${param(record, 'uuid')}]`;
  const madeAt = new Date(Number.parseInt(record.replaceAll('-', '').slice(0, 12), 16));
  const inserts = (from: number, to: number) => sql`SELECT ${COLUMNS} FROM ${log}
      WHERE type = ${INSERTED} AND ${named} AND id >= ${param(firstId(madeAt, from), 'uuid')}
        AND id < ${param(firstId(madeAt, to), 'uuid')}`;
  return sql`
    WITH near AS MATERIALIZED (${inserts(-USUAL_INSERT_MS, USUAL_INSERT_MS)})
    (SELECT ${COLUMNS} FROM ${log} WHERE type <> ${INSERTED} AND ${named} AND ${narrowed} ORDER BY id DESC LIMIT ${most})
    UNION ALL
    SELECT ${COLUMNS} FROM near WHERE ${narrowed}
    UNION ALL
    (${inserts(-CLOCKS_DIFFER_MS, LONGEST_INSERT_MS)} AND NOT EXISTS (SELECT FROM near) AND ${narrowed}
     ORDER BY id DESC LIMIT ${most})
    ORDER BY id DESC LIMIT ${most}`;
}

/** The conditions as SQL. Ids grow with time, so an instant also bounds the id; this limits the index scan. */
export function narrowing({ type, since, until, actor, correlation, before }: AuditConditions): Sql[] {
  const conditions = [sql`true`];
  if (type !== undefined) conditions.push(sql`type = ${param(type, 'text')}`);
  if (actor !== undefined) conditions.push(sql`actor->>'id' = ${param(actor, 'text')}`);
  if (correlation !== undefined) conditions.push(sql`correlation_id = ${param(correlation, 'text')}`);
  if (before !== undefined) conditions.push(sql`id < ${param(before, 'uuid')}`);
  if (since !== undefined)
    conditions.push(
      sql`created_at >= ${param(since, 'timestamptz')}`,
      sql`id >= ${param(firstId(since, -CLOCKS_DIFFER_MS), 'uuid')}`,
    );
  if (until !== undefined)
    conditions.push(
      sql`date_trunc('milliseconds', created_at) <= ${param(until, 'timestamptz')}`,
      sql`id < ${param(firstId(until, CLOCKS_DIFFER_MS), 'uuid')}`,
    );
  return conditions;
}

/** The smallest UUIDv7 of an instant (RFC 9562, 5.7: the first 48 bits are milliseconds). */
export function firstId(instant: Date, shiftMs: number): string {
  const ms = Math.min(Math.max(instant.getTime() + shiftMs, 0), 2 ** 48 - 1);
  return ms.toString(16).padStart(12, '0').padEnd(32, '0');
}

interface OrgAuditConditions extends AuditConditions {
  /** Prefix of event types: `orgs.members` stands for every type that begins with `orgs.members.`. */
  readonly category?: string | undefined;
}

/**
 * The newest events of an organization. A category is one scan of the index on type and id for each of its types, which
 * are few. Otherwise the planner would read millions of record writes to find a few changed roles.
 */
export function orgTrail(orgId: string, { category, ...conditions }: OrgAuditConditions, limit: number): Sql {
  const most = param(limit, 'bigint');
  const narrowed = narrowing(conditions);
  const log = auditTable(orgId);
  const newest = (...more: Sql[]) =>
    sql`SELECT ${COLUMNS} FROM ${log} WHERE ${joined([...more, ...narrowed], ' AND ')} ORDER BY id DESC LIMIT ${most}`;
  if (category === undefined) return newest();
  return sql`
    WITH RECURSIVE types AS (${looseIndexScan(sql`types`, log, sql`type`)})
    SELECT event.* FROM types
    CROSS JOIN LATERAL (${newest(sql`type = types.value`)}) event
    WHERE starts_with(types.value, ${param(`${category}.`, 'text')})
    ORDER BY event.id DESC LIMIT ${most}`;
}

interface AuditedCollection {
  readonly id: string;
  readonly orgId: string;
}

interface AuditedOrg {
  readonly orgId: string;
  readonly orgSlug: string;
}

type OrgAuditQuery = ListAuditEventsQuery & { readonly category?: string; readonly actor?: string };

/** Reads the log, newest first. */
@Injectable()
export class AuditTrail {
  private readonly cursors: SignedIdCursor;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    secrets: Secrets,
  ) {
    this.cursors = new SignedIdCursor(secrets.derive('audit-cursor'));
  }

  /** Events about a collection, its records, its keys and its sharing. */
  async ofCollection(
    { id, orgId }: AuditedCollection,
    orgSlug: string,
    query: ListCollectionAuditQuery,
  ): Promise<AuditPageView> {
    const { action, since, until, record_id: record, actor_id: actor, correlation_id: correlation } = query;
    const list = JSON.stringify([id, action, since, until, record, actor, correlation]);
    const conditions = conditionsOf(query, query.cursor && this.before(query.cursor, list));
    const narrower = { ...conditions, record, actor, correlation };
    const events = collectionTrail(orgId, id, narrower, query.limit + 1);
    return this.page(await execute(this.source, events), query.limit, orgSlug, list);
  }

  /** Events about an organization and everything in it. */
  async ofOrg({ orgId, orgSlug }: AuditedOrg, query: OrgAuditQuery): Promise<AuditPageView> {
    const { action, category, actor, since, until } = query;
    const list = JSON.stringify([orgId, action, category, actor, since, until]);
    const conditions = conditionsOf(query, query.cursor && this.before(query.cursor, list));
    const events = orgTrail(orgId, { ...conditions, category, actor }, query.limit + 1);
    return this.page(await execute(this.source, events), query.limit, orgSlug, list);
  }

  private before(cursor: string, list: string): string {
    const id = this.cursors.open(cursor, list);
    if (id === undefined) {
      throw invalid(
        'cursor: is not a cursor of this list. Send it with the filters that it was returned for.',
      );
    }
    return id;
  }

  /** `rows` has one row more than the page when there is another page. */
  private page(rows: readonly AuditRow[], limit: number, orgSlug: string, list: string): AuditPageView {
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(row => auditEventView(row, orgSlug)),
      next_cursor: last === undefined ? null : this.cursors.sign(last.id, list),
    };
  }
}

function conditionsOf(
  { action, since, until }: ListAuditEventsQuery,
  before: string | undefined,
): AuditConditions {
  return {
    type: action,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
    before: before || undefined,
  };
}
