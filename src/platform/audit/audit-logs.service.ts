import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isGone } from '../../base/kernel/sql-state.js';
import { JobWalks } from '../database/job-walks.js';
import { orgSchema } from '../database/org-schema.js';

/** An audit log: that of an organization, or that of the platform for events that belong to no organization. */
export interface AuditLogName {
  readonly orgId: string | undefined;
  /** The organization's slug, or `platform`. */
  readonly name: string;
}

const PLATFORM_LOG: AuditLogName = { orgId: undefined, name: 'platform' };

/** The table of a log's links, in the order in which the job has seen the events. */
export function chainTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_chain`;
}

export function checkpointsTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_checkpoints`;
}

/** The table of a log's events. */
export function eventsTable({ orgId }: AuditLogName): string {
  return `${schemaOf(orgId)}.audit_events`;
}

function schemaOf(orgId: string | undefined): string {
  return orgId === undefined ? 'public' : orgSchema(orgId);
}

/**
 * SQL of the canonical text of an event `e`, which is hashed: a JSON array of all its columns. jsonb orders the keys of
 * objects and writes equal values in the same way.
 */
export const CANONICAL = `jsonb_build_array(e.id, e.type,
  to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  e.actor, e.target, e.count, e.record_ids, e.changes, e.correlation_id, e.ip)::text`;

/** The hash before the first link of a log. It differs for each log, so one log cannot replace another. */
export function genesis({ orgId }: AuditLogName): Buffer {
  return createHash('sha256')
    .update(`typed-collections audit chain ${orgId ?? 'platform'}`)
    .digest();
}

/** Hash of a link: SHA-256 of the hash before it and the event's canonical text. */
export function linkHash(previous: Buffer, canonical: string): Buffer {
  return createHash('sha256').update(previous).update(canonical).digest();
}

/** Maximum by which the clock of an instance may be behind the database. Instances create the ids of events. */
export const CLOCK_BEHIND_MS = 600_000;

/** Id for the platform's log among the ids of organizations: it sorts first. */
const PLATFORM_ID = '00000000-0000-0000-0000-000000000000';

/** Finds all audit logs. */
@Injectable()
export class AuditLogs {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly walks: JobWalks,
  ) {}

  /**
   * The logs of the platform and of all organizations. With `slug`, only the log of that organization, if it exists.
   */
  async all(slug?: string): Promise<AuditLogName[]> {
    const orgs: AuditLogName[] = await this.source.query(
      `SELECT id AS "orgId", slug AS name FROM orgs WHERE deleted_at IS NULL AND slug = coalesce($1, slug) ORDER BY id`,
      [slug],
    );
    return slug === undefined ? [PLATFORM_LOG, ...orgs] : orgs;
  }

  /**
   * Runs a job's work for each log, a few at a time, until `signal` is aborted. Skips a log whose organization was
   * deleted, and those of `isDone`.
   */
  async each(
    job: string,
    signal: AbortSignal,
    work: (log: AuditLogName) => Promise<void>,
    isDone: (log: AuditLogName) => boolean = () => false,
  ): Promise<void> {
    const all = (await this.all()).filter(log => !isDone(log));
    const logs = all.map(log => ({ id: log.orgId ?? PLATFORM_ID, log }));
    await this.walks.each(job, logs, signal, ({ log }) =>
      work(log).catch(error => {
        if (!isGone(error)) throw error;
      }),
    );
  }
}
