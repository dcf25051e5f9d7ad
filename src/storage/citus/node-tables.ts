import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import type { RowBound, Rows, Statements } from '../../database/statements.js';
import { identifier, joined, render, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableNamed } from '../collection-shape.js';
import type { RecordTransaction } from '../record-transaction.js';
import { COLLECTIONS, type Statement, versionCheck } from '../statement.js';
import { type Move, OwnTables, type Table, TableAccess } from '../table-access.js';
import { runStepByStep } from './step-by-step.js';

/** The tables of each organization are on one of the nodes of Citus. */
export class NodeTables extends TableAccess {
  /** Citus has no triggers with transition tables, and places of changes come from the transactions of one server. */
  readonly keepsChanges = false;
  readonly estimatesRows = false;
  private readonly whole: OwnTables;

  constructor(private readonly statements: Statements) {
    super();
    this.whole = new OwnTables(statements);
  }

  run(table: Table, statement: Statement, bound?: RowBound): Promise<Rows> {
    if (statement.ctes === undefined) return this.whole.run(table, statement, bound);
    const lock = render(lockOf(table)).text;
    return this.statements.transaction(`BEGIN; ${lock}`, (client, names) =>
      runStepByStep(client, names, statement),
    );
  }

  async runWithin(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    const { client, names, table } = transaction;
    await execute(transaction, lockOf(table));
    return (await runStepByStep(client, names, statement))[0] as unknown[];
  }

  /**
   * The statement with the version check that lies beside the records of its organization, so that one node answers it alone.
   * That copy of the version follows the other one within the same commit.
   */
  nearer({ orgId }: Table, statement: Statement): Statement {
    return { ...statement, query: statement.query.replaced(COLLECTIONS, versionsOnNode(orgId)) };
  }

  /** On another node a snapshot is one of its own. */
  versionCheckOfSnapshot(shape: CollectionShape): Sql {
    return versionCheck(shape).replaced(COLLECTIONS, versionsOnNode(shape.orgId));
  }

  /** Citus cannot read what a subquery returns that locks. */
  async lockRows(session: Queryable, rows: Sql): Promise<void> {
    await execute(session, sql`CREATE TEMP TABLE locked ON COMMIT DROP AS ${rows}`);
  }

  /** Conversions depend on settings of the session, so Citus takes them in a SELECT only. */
  async moveValues(transaction: Queryable, { table, where, assignments, rest }: Move): Promise<void> {
    const named = assignments.map(({ column, value }, at) => ({ column, value, name: identifier(`v${at}`) }));
    const values = named.map(({ value, name }) => sql`, ${value} AS ${name}`);
    await execute(transaction, sql`SET LOCAL citus.max_intermediate_result_size = -1`);
    await execute(
      transaction,
      sql`CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT t._id${joined(values, '')} FROM ${table} t WHERE ${where}`,
    );
    const assigned = named.map(({ column, name }) => sql`${column} = m.${name}`);
    await execute(
      transaction,
      sql`UPDATE ${table} t SET ${joined([...assigned, ...rest])} FROM pg_temp.moved m WHERE t._id = m._id`,
    );
  }
}

/** Copies of the versions of an organization's collections. */
function versionsOnNode(orgId: string): Sql {
  return orgTable(orgId, 'fences');
}

/** Takes the lock that every statement on a table takes; it goes before the version check. */
function lockOf(table: Table): Sql {
  return sql`SELECT FROM ${tableNamed(table)} WHERE false`;
}
