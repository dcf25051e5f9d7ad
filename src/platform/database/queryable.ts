import { render, type Sql } from '../../base/sql/index.js';

/** Runs SQL in the caller's transaction, for example TypeORM's EntityManager or QueryRunner. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  query(text: string, values?: any[]): Promise<any>;
}

/** Runs one statement. */
// biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
export function execute(queryable: Queryable, statement: Sql): Promise<any> {
  const { text, values } = render(statement);
  return queryable.query(text, values);
}
