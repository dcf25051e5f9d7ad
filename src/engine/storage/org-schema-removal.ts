import type { DataSource, EntityManager } from 'typeorm';
import { sqlState } from '../../base/kernel/sql-state.js';
import { identifier } from '../../base/sql/index.js';
import { DELETED_ORGS, orgSchema, USERS_TABLE } from '../../platform/database/org-schema.js';
import type { Transactions } from '../../platform/database/transactions.js';
import { isLockConflict, lockOutMaintenance, TABLE_LOCKS } from './table-lock.js';

/**
 * The objects that one transaction drops. It locks each table with all its indexes, and a PostgreSQL with default
 * settings has 6,400 locks for all transactions.
 */
const DROPPED_AT_ONCE = 20;
/** A backup uses all tables, so after this many the others are not tried. */
const MAX_IN_USE = 20;
/** With Citus, the lock timeout does not hold on the nodes. */
const DROP = { ...TABLE_LOCKS, statementTimeoutMs: 5_000 };

/** An object to drop: `TABLE`, its name and the name of its schema, or `FUNCTION` and its signature. */
interface Droppable {
  readonly kind: 'TABLE' | 'FUNCTION';
  readonly name: string;
  readonly signature: string;
}

const tables = (
  condition: string,
) => `SELECT 'TABLE' AS kind, c.relname AS name, format('%I', c.relname) AS signature
  FROM pg_class c WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' AND c.relname <> ALL($2::text[])
    AND ${condition} LIMIT ${DROPPED_AT_ONCE}`;

/**
 * The order in which a schema is emptied. A write to a table of records that still runs also needs the other tables.
 * Triggers of tables call the functions; each function takes a lock, too.
 */
const STEPS = [
  tables(`c.relname ~ '${USERS_TABLE.source}'`),
  tables('true'),
  `SELECT 'FUNCTION' AS kind, p.proname AS name,
     format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS signature
   FROM pg_proc p WHERE p.pronamespace = to_regnamespace($1) AND p.proname <> ALL($2::text[]) LIMIT ${DROPPED_AT_ONCE}`,
];

/** Drops the schemas of deleted organizations in many short transactions. */
export class OrgSchemaRemoval {
  constructor(
    private readonly source: Pick<DataSource, 'query'>,
    private readonly transactions: Transactions,
  ) {}

  /** Deleted organizations that still have a schema. */
  deleted(): Promise<{ id: string; schema: string }[]> {
    return this.source.query(DELETED_ORGS);
  }

  /** False when something is left: `signal` was aborted, or somebody still uses a table, for example a backup. */
  async remove(orgId: string, signal?: AbortSignal): Promise<boolean> {
    const schema = orgSchema(orgId);
    for (const step of STEPS) {
      const inUse: string[] = [];
      for (let found = await this.find(step, schema, inUse); found.length > 0; ) {
        if (signal?.aborted) return false;
        if (!(await this.drop(schema, found))) inUse.push(...(await this.dropEach(schema, found, signal)));
        if (inUse.length >= MAX_IN_USE) return false;
        found = await this.find(step, schema, inUse);
      }
      if (inUse.length > 0) return false;
    }
    return this.unlessInUse(manager => manager.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
  }

  private find(step: string, schema: string, inUse: readonly string[]): Promise<Droppable[]> {
    return this.source.query(step, [schema, inUse]);
  }

  /** Each object may be gone already, because another instance drops them too, or with one that it depended on. */
  private drop(schema: string, found: readonly Droppable[]): Promise<boolean> {
    const statements = found.map(object => dropping(schema, object));
    return this.unlessInUse(manager => manager.query(statements.join('; ')));
  }

  /** Resolves to the names of those that are in use. VACUUM and ANALYZE are waited for, so that PostgreSQL ends them. */
  private async dropEach(
    schema: string,
    found: readonly Droppable[],
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const inUse: string[] = [];
    for (const object of found) {
      if (signal?.aborted || inUse.length >= MAX_IN_USE) break;
      const isDropped = await this.unlessInUse(async manager => {
        if (object.kind === 'TABLE') await lockOutMaintenance(manager, identifier(schema, object.name));
        await manager.query(dropping(schema, object));
      });
      if (!isDropped) inUse.push(object.name);
    }
    return inUse;
  }

  private async unlessInUse(work: (manager: EntityManager) => Promise<unknown>): Promise<boolean> {
    try {
      await this.transactions.run(DROP, work);
      return true;
    } catch (error) {
      if (isLockConflict(error) || isGoneOrLate(error)) return false;
      throw error;
    }
  }
}

function dropping(schema: string, { kind, signature }: Droppable): string {
  return `DROP ${kind} IF EXISTS ${schema}.${signature} CASCADE`;
}

/** 42P01: another instance dropped the table just now. 57014: a node of Citus waited for somebody who uses it. */
function isGoneOrLate(error: unknown): boolean {
  const state = sqlState(error);
  return state === '42P01' || state === '57014';
}
