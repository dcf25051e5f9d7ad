import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { JobWalks } from '../database/job-walks.js';
import { orgSchema } from '../database/org-schema.js';
import { sqlState } from '../kernel/sql-state.js';

/** An audit log: an organization's, or the platform's for events that belong to none. */
export interface AuditLogName {
  readonly orgId: string | undefined;
  /** The organization's slug, or `platform`. */
  readonly name: string;
}

const PLATFORM_LOG: AuditLogName = { orgId: undefined, name: 'platform' };

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

/** The organization's schema is gone. */
const GONE = ['3F000', '42P01'];

/** No organization's: the platform's log comes first. */
const PLATFORM_ID = '00000000-0000-0000-0000-000000000000';

/** All logs there are. */
@Injectable()
export class AuditLogs {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly walks: JobWalks,
  ) {}

  /** The platform's and those of the organizations; only that of one slug, if given (then none when there is no such). */
  async all(slug?: string): Promise<AuditLogName[]> {
    const orgs: AuditLogName[] = await this.source.query(
      `SELECT id AS "orgId", slug AS name FROM orgs WHERE deleted_at IS NULL AND slug = coalesce($1, slug) ORDER BY id`,
      [slug],
    );
    return slug === undefined ? [PLATFORM_LOG, ...orgs] : orgs;
  }

  /** For a job, a few at a time until `signal` is aborted; a log that has gone with its organization is passed over. */
  async each(job: string, signal: AbortSignal, work: (log: AuditLogName) => Promise<void>): Promise<void> {
    const logs = (await this.all()).map(log => ({ id: log.orgId ?? PLATFORM_ID, log }));
    await this.walks.each(job, logs, signal, ({ log }) =>
      work(log).catch(error => {
        if (!GONE.includes(sqlState(error) ?? '')) throw error;
      }),
    );
  }
}
