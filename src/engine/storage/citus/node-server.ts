import { randomBytes } from 'node:crypto';
import { literal, param, render, type Sql, sql } from '../../../base/sql/index.js';
import { collectionTable, historyTable, orgSchema, orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { TableServer } from '../table-server.js';
import { shardsOf } from './shards.js';
import { statementOnNode, valuesOnNode } from './statement-on-node.js';

/** The tables of an organization that statements of a `NodeServer` may use, beside those of one collection. */
const TABLES = ['audit_events', 'fences', 'inserted_ids', 'record_changes'];
/** An id that no collection has. */
const NO_ID = param('00000000-0000-0000-0000-000000000000', 'uuid');

/**
 * Sends statements to the node that has the tables of an organization, where they run in the transaction of the
 * caller. There they use the shards, so they may do what PostgreSQL can and Citus cannot: common table expressions that
 * write, row locks in subqueries, functions of time in updates.
 */
export class NodeServer implements TableServer {
  // biome-ignore lint/plugin/bounded-maps: temporary tables of one transaction
  private readonly created = new Map<string, string>();

  private constructor(
    private readonly transaction: Queryable,
    private readonly fences: Sql,
    private readonly names: Map<string, string>,
  ) {}

  /** Keeps the organization on its node until the transaction ends. */
  static async begin(
    transaction: Queryable,
    { orgId, id }: { readonly orgId: string; readonly id?: string | undefined },
  ): Promise<NodeServer> {
    const fences = orgTable(orgId, 'fences');
    // Citus does not know which of the statements on the node write. A move to another node waits for this one.
    await execute(transaction, sql`UPDATE ${fences} SET version = version WHERE id = ${NO_ID}`);
    const used = id === undefined ? TABLES : [...TABLES, collectionTable(id), historyTable(id)];
    const schema = orgSchema(orgId);
    const shards = await shardsOf(transaction, orgId, used);
    const names = new Map([...shards].map(([name, shard]) => [`${schema}.${name}`, `${schema}.${shard}`]));
    // The version of a collection, which public.collections has on the coordinator only.
    names.set('public.collections', `${schema}.${shards.get('fences')}`);
    return new NodeServer(transaction, fences, names);
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  async query(text: string, values: readonly unknown[] = []): Promise<any> {
    const statement = param(statementOnNode(text, this.names), 'text');
    const given = param(valuesOnNode(values), 'text[]');
    const hasRows = literal(/^\s*(?:SELECT|WITH)\b/.test(text));
    const rows: { result: unknown }[] = await execute(
      this.transaction,
      // Citus sends a statement to the node of the table that it reads.
      sql`SELECT public.run_on_node(${statement}, ${given}, ${hasRows}) AS result
        FROM (SELECT count(*) FROM ${this.fences} WHERE id = ${NO_ID}) n`,
    );
    return rows.map(({ result }) => result);
  }

  /** An ordinary table, because PostgreSQL cannot prepare the commit of a transaction that has used a temporary one. */
  async createTemporary(name: string, columns: Sql): Promise<void> {
    const table = `public.${name}_${randomBytes(8).toString('hex')}`;
    await this.query(`CREATE UNLOGGED TABLE ${table} (${render(columns).text})`);
    this.created.set(`pg_temp.${name}`, table);
    this.names.set(`pg_temp.${name}`, table);
  }

  nameOf(table: Sql): Sql {
    const { text } = render(table);
    return literal(this.names.get(text) ?? text);
  }

  /** Drops the tables that `createTemporary` has created. */
  async end(): Promise<void> {
    for (const table of this.created.values()) await this.query(`DROP TABLE ${table}`);
  }
}
