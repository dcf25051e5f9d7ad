import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { JobWalks } from '../database/job-walks.js';
import { orgSchema } from '../database/org-schema.js';
import { Transactions } from '../database/transactions.js';
import { isLockConflict, TABLE_LOCKS } from '../storage/table-lock.js';

/**
 * The objects that one transaction drops. It locks each table with all its indexes, and a PostgreSQL with default
 * settings has 6,400 locks for all transactions.
 */
const DROPPED_AT_ONCE = 20;

/**
 * Tables of a schema, those of collections first, because a running write needs the others too. Then its functions,
 * which triggers of the tables call. The names are not casts to regclass, which are numbers for what was dropped just now.
 */
const TABLES = `SELECT format('TABLE IF EXISTS %I.%I', $1::text, c.relname) AS object FROM pg_class c
  WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' ORDER BY c.oid DESC LIMIT ${DROPPED_AT_ONCE}`;
const FUNCTIONS = `SELECT
    format('FUNCTION IF EXISTS %I.%I(%s)', $1::text, p.proname, pg_get_function_identity_arguments(p.oid)) AS object
  FROM pg_proc p WHERE p.pronamespace = to_regnamespace($1) LIMIT ${DROPPED_AT_ONCE}`;

const DELETED = `SELECT o.id FROM orgs o JOIN pg_namespace n ON n.nspname = 'org_' || replace(o.id::text, '-', '')
  WHERE o.deleted_at IS NOT NULL`;

/**
 * Drops the schemas of deleted organizations in many short transactions. The rows of such an organization are gone, so
 * no request finds its tables, and what is left after an error is dropped by the next run of the job.
 */
@Injectable()
export class OrgRemoval {
  private readonly logger = new Logger(OrgRemoval.name);

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly walks: JobWalks,
  ) {}

  /** Handles all deleted organizations that still have a schema. Stops early after `signal`. */
  async removeDeleted(signal: AbortSignal): Promise<{ removed: number }> {
    const counts = { removed: 0 };
    const deleted: { id: string }[] = await this.source.query(DELETED);
    await this.walks.each('remove-deleted-organizations', deleted, signal, async ({ id }) => {
      if (await this.removeSchema(id, signal)) counts.removed += 1;
    });
    return counts;
  }

  /** Begins the removal of an organization that was just deleted. Never rejects: the job removes what is left. */
  async begin(orgId: string, signal: AbortSignal): Promise<void> {
    await this.removeSchema(orgId, signal).catch(error => this.logger.error(error));
  }

  /** False when something is left: `signal` was aborted, or somebody still uses a table, for example a backup. */
  private async removeSchema(orgId: string, signal: AbortSignal): Promise<boolean> {
    const schema = orgSchema(orgId);
    try {
      while ((await this.dropSome(TABLES, schema)) || (await this.dropSome(FUNCTIONS, schema))) {
        if (signal.aborted) return false;
      }
      await this.drop([`SCHEMA IF EXISTS ${schema}`]);
      return true;
    } catch (error) {
      if (isLockConflict(error)) return false;
      throw error;
    }
  }

  /** False when there are no more. */
  private async dropSome(objects: string, schema: string): Promise<boolean> {
    const found: { object: string }[] = await this.source.query(objects, [schema]);
    await this.drop(found.map(({ object }) => object));
    return found.length > 0;
  }

  /** Each may be gone already, because another instance drops them too, or with an object that it depended on. */
  private async drop(objects: readonly string[]): Promise<void> {
    if (objects.length === 0) return;
    const statements = objects.map(object => `DROP ${object} CASCADE`);
    await this.transactions.run(TABLE_LOCKS, manager => manager.query(statements.join('; ')));
  }
}
