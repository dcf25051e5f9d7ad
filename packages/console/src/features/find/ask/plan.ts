import { isObject, type JsonObject } from '../../../values/json.js';

/** A read of the service that answers a question: one, or several for the rows of one table. */
export interface Plan {
  readonly operation: 'query' | 'count' | 'distinct' | 'aggregate' | 'several';
  readonly filter?: JsonObject;
  readonly sort?: JsonObject;
  readonly field?: string;
  readonly limit?: number;
  readonly group_by?: string | readonly string[];
  readonly steps?: readonly { readonly type: string; readonly input_field?: string }[];
}

const OPERATIONS = ['query', 'count', 'distinct', 'aggregate', 'several'];

/** The plan of an answer; undefined if the question was refused, or if a newer service plans something unknown. */
export function planOf(plan: unknown): Plan | undefined {
  return isObject(plan) && OPERATIONS.includes(String(plan.operation))
    ? (plan as unknown as Plan)
    : undefined;
}

/** The result of a plan: one figure, or rows of values by name. */
export type Result =
  | { readonly figure: number }
  | { readonly names: readonly string[]; readonly rows: readonly JsonObject[] };

/** The result of an answer; undefined if there is none. */
export function resultOf(data: JsonObject): Result | undefined {
  const rows = [data.results, data.records].find(Array.isArray)?.filter(isObject);
  if (rows !== undefined) return { names: namesOf(rows), rows };
  if (Array.isArray(data.values)) {
    const name = String(data.field ?? 'value');
    return { names: [name], rows: data.values.map(value => ({ [name]: value })) };
  }
  return typeof data.count === 'number' ? { figure: data.count } : undefined;
}

/** All names of the rows, the times of the service last. */
function namesOf(rows: readonly JsonObject[]): readonly string[] {
  const names = new Set(rows.flatMap(row => Object.keys(row)));
  const times = ['created_at', 'updated_at'].filter(name => names.has(name));
  return [...[...names].filter(name => !times.includes(name)), ...times];
}

/**
 * What the address shows for a plan: the records that it reads, or over which it counts and computes. Undefined if it is
 * about no single set of records.
 */
export function shownBy({
  operation,
  filter = {},
  sort,
}: Plan): { filter: JsonObject; sort: JsonObject } | undefined {
  if (operation === 'several') return undefined;
  return { filter, sort: operation === 'query' && sort !== undefined ? sort : {} };
}
