import { identifier, joined, literal, NOTHING, render, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { RowBound, Rows, Statements } from '../../../platform/database/statements.js';
import type { Transactions } from '../../../platform/database/transactions.js';
import { type CollectionShape } from '../collection-shape.js';
import type { VersionsTarget } from '../history/history-table.js';
import { eventNamedIn } from '../history/named-event.js';
import { COLLECTIONS, type Statement, versionCheck } from '../statement.js';
import {
  type MovedValues,
  OwnTables,
  type RecordTransaction,
  type ServerTables,
  type ServerWork,
  TableAccess,
} from '../table-access.js';
import { type Table, tableNamed } from '../table-sql.js';
import { NodeServer } from './node-server.js';
import { runStepByStep } from './step-by-step.js';
import { versionsOnShard } from './versions-on-shard.js';

/** The tables of each organization are on one of the nodes of Citus. */
export class NodeTables extends TableAccess {
  /** Positions of changes need the transaction ids of a single server. */
  readonly noChanges =
    'Change feeds and webhooks are not available, because this service distributes its data over several database servers (DATABASE_CITUS).';
  readonly changesOnline = false;
  readonly hasStatistics = false;
  private readonly whole: OwnTables;

  constructor(
    statements: Statements,
    private readonly transactions: Transactions,
  ) {
    super();
    this.whole = new OwnTables(statements);
  }

  run(table: Table, statement: Statement, bound?: RowBound): Promise<Rows> {
    if (statement.ctes === undefined) return this.whole.run(table, statement, bound);
    const event = eventNamedIn(statement.ctes[0].query);
    return this.transactions.onConnection(
      async (client, names) => {
        if (event !== undefined) await client.query(render(settingEvent(event)).text);
        return runStepByStep(client, names, statement);
      },
      { first: event === undefined ? lockOf(table) : sql`${lockOf(table)}; ${SENDING_SETTINGS}` },
    );
  }

  async runWithin(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    const { client, names, table } = transaction;
    await execute(transaction, lockOf(table));
    const event = eventNamedIn(statement.ctes?.[0].query ?? NOTHING);
    if (event !== undefined) await sendEvent(transaction, event);
    return (await runStepByStep(client, names, statement))[0] as unknown[];
  }

  /** Checks the copy of the version on the organization's node, which changes in the same commit as the original. */
  onNode({ orgId }: Table, statement: Statement): Statement {
    return { ...statement, query: statement.query.replaced(COLLECTIONS, versionsOnNode(orgId)) };
  }

  /** Each node has a snapshot of its own, so the version is read on the node of the records. */
  versionCheckOfSnapshot(shape: CollectionShape): Sql {
    return versionCheck(shape).replaced(COLLECTIONS, versionsOnNode(shape.orgId));
  }

  /** Citus cannot read the result of a subquery that locks rows, so the result goes into a temporary table. */
  async lockRows(session: Queryable, rows: Sql): Promise<void> {
    await execute(session, sql`CREATE TEMP TABLE locked ON COMMIT DROP AS ${rows}`);
  }

  /** Conversions depend on settings of the session, so Citus accepts them only in a SELECT. */
  async moveValues(transaction: Queryable, { table, where, assignments, rest }: MovedValues): Promise<void> {
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

  async nameEvent(
    transaction: Queryable,
    { historySince }: Pick<CollectionShape, 'historySince'>,
    eventId: string,
  ): Promise<void> {
    if (historySince) await sendEvent(transaction, eventId);
  }

  versionsForTriggers(transaction: Queryable, table: Table): Promise<VersionsTarget> {
    return versionsOnShard(transaction, table);
  }

  async onServer<T>(transaction: Queryable, tables: ServerTables, work: ServerWork<T>): Promise<T> {
    const server = await NodeServer.begin(transaction, tables);
    const result = await work(server);
    await server.end();
    return result;
  }

  onServerAlone<T>(_source: Queryable, tables: ServerTables, work: ServerWork<T>): Promise<T> {
    return this.transactions.run(manager => this.onServer(manager, tables, work));
  }
}

/**
 * The table with copies of the versions of an organization's collections. It keeps its first name, because renaming it
 * would lock the table of every organization on its node, and instances of two versions could not run side by side.
 */
function versionsOnNode(orgId: string): Sql {
  return orgTable(orgId, 'fences');
}

/** From here on, Citus sends each `SET LOCAL` of the transaction to the nodes, before the next statement there. */
const SENDING_SETTINGS = sql`SET LOCAL citus.propagate_set_commands = 'local'`;

/** Must be sent alone, because Citus sends the whole text on. */
function settingEvent(event: string): Sql {
  return sql`SET LOCAL platform.event = ${literal(event)}`;
}

/** Names the audit event to the triggers on the node. */
async function sendEvent(transaction: Queryable, event: string): Promise<void> {
  await execute(transaction, SENDING_SETTINGS);
  await execute(transaction, settingEvent(event));
}

/** Takes the table lock that every statement takes. It must run before the version check. */
function lockOf(table: Table): Sql {
  return sql`SELECT FROM ${tableNamed(table)} WHERE false`;
}
