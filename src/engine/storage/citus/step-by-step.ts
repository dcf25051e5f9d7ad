import type { ClientBase, FieldDef } from 'pg';
import {
  Cte,
  identifier,
  joined,
  param,
  render,
  type ScalarType,
  type Sql,
  sql,
  typeName,
} from '../../../base/sql/index.js';
import type { PreparedNames } from '../../../platform/database/connections/prepared-names.js';
import type { Rows } from '../../../platform/database/statements.js';
import type { Statement } from '../statement.js';

/** Types of the columns that CTEs return (pg_type). */
const TYPES: Readonly<Record<number, ScalarType>> = {
  16: 'boolean',
  20: 'bigint',
  23: 'integer',
  25: 'text',
  701: 'double precision',
  1082: 'date',
  1184: 'timestamptz',
  2950: 'uuid',
  3802: 'jsonb',
};
const AS_WRITTEN = { getTypeParser: () => (value: unknown) => value };

/**
 * Runs a statement with CTEs that write as one statement per CTE, in the caller's transaction. Citus would do the same,
 * but would send intermediate rows to every node, so that all nodes would have to be available; and it cannot prepare
 * such a statement.
 *
 * The result is the same. Each step sees what was committed before it, so locked rows are at least as new as their
 * lock. The table is locked before the version is checked, so the collection stays in that version. Returns one row
 * `[0]` when the version check failed.
 */
export async function runStepByStep(
  client: ClientBase,
  names: PreparedNames,
  { ctes = [] as never, query }: Statement,
): Promise<Rows> {
  // A CTE that reads no table is inlined wherever it is read.
  const sources = new Map<Cte, Sql>(ctes.filter(isComputed).map(cte => [cte, cte.query]));
  const run = (step: Sql, isLast: boolean) => {
    const { text, values } = render(withSources(step, sources));
    const name = names.of(text);
    return client.query<unknown[]>({
      ...{ text, values, rowMode: 'array' },
      ...(name && { name }),
      ...(!isLast && { types: AS_WRITTEN }),
    });
  };
  for (const cte of ctes.filter(each => !isComputed(each))) {
    const { rows, fields } = await run(cte.query, false);
    if (cte === ctes[0] && rows.length === 0) return [[0]];
    sources.set(cte, rowsAsSql(rows, fields));
  }
  return (await run(query, true)).rows;
}

function isComputed({ how }: Cte): boolean {
  return how.computed === true;
}

/**
 * The step with the CTEs that it reads, each with its source: the rows that it returned, or its query if it reads no
 * table.
 */
function withSources(step: Sql, sources: ReadonlyMap<Cte, Sql>): Sql {
  const needed: Sql[] = [];
  const seen = new Set<Cte>();
  const need = (part: Sql) => {
    if (!(part instanceof Cte)) return part.parts.forEach(need);
    if (seen.has(part)) return;
    seen.add(part);
    const source = sources.get(part);
    if (source === undefined) throw new Error(`the CTE ${part.name} is read before it is run`);
    need(source);
    needed.push(sql`${part} AS NOT MATERIALIZED (${source})`);
  };
  need(step);
  return needed.length === 0 ? step : sql`WITH ${joined(needed)} ${step}`;
}

/**
 * Result rows as SQL for a later step: JSON, with each value as PostgreSQL wrote it. A document is a text in it, because
 * a JSON null of a column would become NULL, and JavaScript would round its numbers.
 */
function rowsAsSql(rows: Rows, fields: readonly FieldDef[]): Sql {
  const columns = fields.map(({ name, dataTypeID }) => {
    const type = TYPES[dataTypeID];
    if (type === undefined) throw new Error(`no CTE returns type ${dataTypeID}`);
    const column = identifier(name);
    return type === 'jsonb'
      ? { defined: sql`${column} text`, read: sql`${column}::jsonb` }
      : { defined: sql`${column} ${typeName(type)}`, read: column };
  });
  // For rows without columns only their number matters, but the record definition needs a column.
  const list = columns.length === 0 ? sql`nothing integer` : joined(columns.map(({ defined }) => defined));
  const hasDocuments = fields.some(({ dataTypeID }) => TYPES[dataTypeID] === 'jsonb');
  const read = hasDocuments ? joined(columns.map(each => each.read)) : sql`*`;
  const objects = rows.map(row => Object.fromEntries(fields.map(({ name }, at) => [name, row[at]])));
  return sql`SELECT ${read} FROM jsonb_to_recordset(${param(JSON.stringify(objects), 'jsonb')}) AS s(${list})`;
}
