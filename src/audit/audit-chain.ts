import { createHash } from 'node:crypto';
import { orgSchema } from '../database/org-schema.js';

/** An audit log: an organization's, or the platform's for events that belong to none. */
export interface AuditLogName {
  readonly orgId: string | undefined;
  /** The organization's slug, or `platform`. */
  readonly name: string;
}

export const PLATFORM_LOG: AuditLogName = { orgId: undefined, name: 'platform' };

/** The links of a log's events, in the order in which the job has seen them. */
export function chainTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_chain`;
}

export function checkpointsTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_checkpoints`;
}

/** The table of the events themselves. */
export function eventsTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_events`;
}

function schemaOf(orgId: string | undefined): string {
  return orgId === undefined ? 'public' : orgSchema(orgId);
}

/**
 * SQL of an event `e` as the text that is hashed: a JSON array of all its columns, as jsonb writes it, which orders the
 * keys of objects and has one way of writing each value.
 */
export const CANONICAL = `jsonb_build_array(e.id, e.type,
  to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  e.actor, e.target, e.count, e.record_ids, e.changes, e.correlation_id, e.ip)::text`;

/** What the first link of a log follows, so that no log passes for another. */
export function genesis({ orgId }: AuditLogName): Buffer {
  return createHash('sha256')
    .update(`typed-collections audit chain ${orgId ?? 'platform'}`)
    .digest();
}

/** Hash of a link: SHA-256 of the hash before it and the event's canonical text. */
export function linkHash(previous: Buffer, canonical: string): Buffer {
  return createHash('sha256').update(previous).update(canonical).digest();
}

/** How far the clocks of instances, which make the ids of events, may be behind the database's. */
export const CLOCK_BEHIND_MS = 600_000;
