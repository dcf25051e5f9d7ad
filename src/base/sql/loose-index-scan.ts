import { NOTHING, type Sql, sql } from './sql.js';

/**
 * The body of a recursive CTE with one column, `value`: the different values of a column in the rows that fulfil the
 * condition. Each value is one step in an index on the column (PostgreSQL wiki, "Loose indexscan"); `SELECT DISTINCT`
 * would read all rows. `name` is the name of the CTE. The column must not be null.
 */
export function looseIndexScan(name: Sql, table: Sql, column: Sql, condition = sql`true`): Sql {
  const first = (following: Sql) =>
    sql`SELECT ${column} AS value FROM ${table} WHERE ${condition}${following} ORDER BY ${column} LIMIT 1`;
  return sql`
      (${first(NOTHING)})
      UNION ALL
      SELECT next.value FROM ${name} CROSS JOIN LATERAL (${first(sql` AND ${column} > ${name}.value`)}) next`;
}
