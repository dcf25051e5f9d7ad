import { identifier, literal, render, type Sql, sql } from '../../base/sql/index.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';

/** The server that has the tables of an organization. Its statements use only these, and belong to a transaction. */
export interface TableServer extends Queryable {
  /** Creates a table that ends with the transaction. Statements name it `pg_temp.<name>`. */
  createTemporary(name: string, columns: Sql): Promise<void>;

  /** A literal of the name of a table, for functions that take a name. */
  nameOf(table: Sql): Sql;
}

/** The server of the platform's tables. */
export class OwnServer implements TableServer {
  constructor(private readonly transaction: Queryable) {}

  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  query(text: string, values?: any[]): Promise<any> {
    return this.transaction.query(text, values);
  }

  createTemporary(name: string, columns: Sql): Promise<void> {
    return execute(this, sql`CREATE TEMP TABLE ${identifier(name)} (${columns}) ON COMMIT DROP`);
  }

  nameOf(table: Sql): Sql {
    return literal(render(table).text);
  }
}
