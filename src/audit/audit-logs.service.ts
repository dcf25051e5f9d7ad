import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { JobWalks } from '../database/job-walks.js';
import { sqlState } from '../kernel/sql-state.js';
import { type AuditLogName, PLATFORM_LOG } from './audit-chain.js';

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
