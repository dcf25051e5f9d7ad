import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sqlState } from '../kernel/sql-state.js';
import { type AuditLogName, PLATFORM_LOG } from './audit-chain.js';

/** The organization's schema is gone. */
const GONE = ['3F000', '42P01'];

/** All logs there are. */
@Injectable()
export class AuditLogs {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** The platform's and those of the organizations; only that of one slug, if given (then none when there is no such). */
  async all(slug?: string): Promise<AuditLogName[]> {
    const orgs: AuditLogName[] = await this.source.query(
      `SELECT id AS "orgId", slug AS name FROM orgs WHERE deleted_at IS NULL AND slug = coalesce($1, slug) ORDER BY id`,
      [slug],
    );
    return slug === undefined ? [PLATFORM_LOG, ...orgs] : orgs;
  }

  /** One after the other, until `signal` is aborted; a log that has gone with its organization meanwhile is passed over. */
  async each(signal: AbortSignal, work: (log: AuditLogName) => Promise<void>): Promise<void> {
    for (const log of await this.all()) {
      if (signal.aborted) return;
      await work(log).catch(error => {
        if (!GONE.includes(sqlState(error) ?? '')) throw error;
      });
    }
  }
}
