import type { PoolClient } from 'pg';
import { isLockTimeout } from '../../base/kernel/sql-state.js';
import { joined, type Sql, sql } from '../../base/sql/index.js';
import type { PreparedNames } from '../../platform/database/connections/prepared-names.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';
import type { RowBound, Rows, Statements } from '../../platform/database/statements.js';
import type { CollectionShape } from './collection-shape.js';
import { ownVersions, type VersionsTarget } from './history/history-table.js';
import { nameEvent } from './history/named-event.js';
import { rendered, type Statement, versionCheck } from './statement.js';
import { OwnServer, type TableServer } from './table-server.js';
import type { Table } from './table-sql.js';

/** Values of a table that move into other columns. */
export interface MovedValues {
  readonly table: Sql;
  /** Condition for the rows to change; the table is `t`. */
  readonly where: Sql;
  /** The target columns, each with SQL of its new value. */
  readonly assignments: readonly { readonly column: Sql; readonly value: Sql }[];
  /** Further assignments, which use immutable functions only. */
  readonly rest: readonly Sql[];
}

/**
 * How statements reach the tables of organizations: on the server of the platform's tables, or on the nodes of Citus.
 * The choice is made at start, and the other code in this folder does not depend on it.
 */
export abstract class TableAccess {
  /** For clients, why the changes of records cannot be recorded; undefined when they can. */
  abstract readonly noChanges: string | undefined;
  /** True when schemas can be changed while records are written, which needs triggers. */
  abstract readonly changesOnline: boolean;
  /** True when this server has the statistics of the tables: how many rows and bytes they have, and how often indexes are used. */
  abstract readonly hasStatistics: boolean;

  /** Runs a statement in a transaction of its own. */
  abstract run(table: Table, statement: Statement, bound?: RowBound): Promise<Rows>;

  /** Runs a statement with CTEs in the given transaction; resolves to its one row. */
  abstract runWithin(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]>;

  /**
   * The form of a statement that reads which the organization's node alone can answer, to be sent first. When its version
   * check fails, the original statement decides. Undefined without nodes.
   */
  abstract onNode(table: Table, statement: Statement): Statement | undefined;

  /** The version check for reads that follow in the same snapshot. */
  abstract versionCheckOfSnapshot(shape: CollectionShape): Sql;

  /** Locks the rows that `rows` selects for update, until the transaction ends. */
  abstract lockRows(session: Queryable, rows: Sql): Promise<void>;

  /** Moves values into other columns of the same rows. The caller has locked the table. */
  abstract moveValues(transaction: Queryable, move: MovedValues): Promise<void>;

  /** From here on, versions that the transaction replaces name the audit event, if the collection keeps a history. */
  abstract nameEvent(
    transaction: Queryable,
    shape: Pick<CollectionShape, 'historySince'>,
    eventId: string,
  ): Promise<void>;

  /**
   * How triggers on the table of records write to the table of versions, which is there. The transaction may create such
   * triggers afterwards.
   */
  abstract versionsForTriggers(transaction: Queryable, table: Table): Promise<VersionsTarget>;

  /** Runs work of a transaction on the server that has the tables of an organization, with that of one collection. */
  abstract onServer<T>(transaction: Queryable, tables: ServerTables, work: ServerWork<T>): Promise<T>;

  /** As `onServer`, for work that needs no transaction. */
  abstract onServerAlone<T>(source: Queryable, tables: ServerTables, work: ServerWork<T>): Promise<T>;
}

/** Names the organization, and the collection if the work uses its table. */
export type ServerTables = Pick<Table, 'orgId'> & Partial<Pick<Table, 'id'>>;

export type ServerWork<T> = (server: TableServer) => Promise<T>;

/** The tables of organizations are on the same server as the platform's tables. */
export class OwnTables extends TableAccess {
  readonly noChanges = undefined;
  readonly changesOnline = true;
  readonly hasStatistics = true;

  constructor(private readonly statements: Statements) {
    super();
  }

  run(_table: Table, statement: Statement, bound?: RowBound): Promise<Rows> {
    const { text, values } = rendered(statement);
    return bound === undefined
      ? this.statements.run(text, values)
      : this.statements.runWithin(text, values, bound);
  }

  async runWithin({ client }: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    const { rows } = await client.query<unknown[]>({ ...rendered(statement), rowMode: 'array' });
    return rows[0] as unknown[];
  }

  onNode(): undefined {
    return undefined;
  }

  versionCheckOfSnapshot(shape: CollectionShape): Sql {
    return versionCheck(shape);
  }

  async lockRows(session: Queryable, rows: Sql): Promise<void> {
    await execute(session, sql`WITH locked AS MATERIALIZED (${rows}) SELECT count(*) FROM locked`);
  }

  async moveValues(transaction: Queryable, { table, where, assignments, rest }: MovedValues): Promise<void> {
    const assigned = assignments.map(({ column, value }) => sql`${column} = ${value}`);
    await execute(transaction, sql`UPDATE ${table} t SET ${joined([...assigned, ...rest])} WHERE ${where}`);
  }

  async nameEvent(
    transaction: Queryable,
    { historySince }: Pick<CollectionShape, 'historySince'>,
    eventId: string,
  ): Promise<void> {
    if (historySince) await nameEvent(transaction, eventId);
  }

  async versionsForTriggers(_transaction: Queryable, table: Table): Promise<VersionsTarget> {
    return ownVersions(table);
  }

  onServer<T>(transaction: Queryable, _tables: ServerTables, work: ServerWork<T>): Promise<T> {
    return work(new OwnServer(transaction));
  }

  onServerAlone<T>(source: Queryable, _tables: ServerTables, work: ServerWork<T>): Promise<T> {
    return work(new OwnServer(source));
  }
}

/** A transaction on the table of one collection. */
export class RecordTransaction implements Queryable {
  constructor(
    readonly table: Table,
    readonly client: PoolClient,
    readonly names: PreparedNames,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  async query(text: string, values?: any[]): Promise<any> {
    return (await this.client.query(text, values)).rows;
  }

  /** Takes an advisory lock. Other statements on the collection do not wait for it. */
  async lock(statement: Sql): Promise<void> {
    try {
      await execute(this, statement);
    } catch (error) {
      throw isLockTimeout(error) ? Object.assign(error as Error, { where: 'a lock of its own' }) : error;
    }
  }
}
