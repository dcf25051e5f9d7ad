import type { ShapeText } from './shape.js';
import { type Cte, joined, Param, type Sql, sql } from './sql.js';

/** Text and values to send to PostgreSQL. */
export interface Rendered {
  readonly text: string;
  readonly values: unknown[];
}

/** Renders SQL: its text with numbered parameters, and their values. SQL of the same shape always has the same text. */
export function render(query: Sql): Rendered {
  const params: Param[] = [];
  collect(query, params);
  const kept = query.shape.knownText;
  const values = kept && valuesOf(params, kept);
  if (values !== undefined) return { text: (kept as ShapeText).text, values };
  const made = textOf(query, params);
  if (kept === undefined) query.shape.keepText(made);
  return { text: made.text, values: valuesOf(params, made) as unknown[] };
}

/** The query with its common table expressions in front. */
export function withCtes(ctes: readonly Cte[], query: Sql): Sql {
  return sql`WITH ${joined(
    ctes.map(cte => cte.definition),
    ',\n',
  )}
${query}`;
}

/**
 * Collects the parameters in the order of their places. A parameter that is used several times is listed several times.
 */
function collect(query: Sql, params: Param[]): void {
  if (query instanceof Param) params.push(query);
  else if (query.shape.hasParams) for (const part of query.parts) collect(part, params);
}

/** The values for a text; undefined when this SQL shares parameters between other places than the text does. */
function valuesOf(params: readonly Param[], { numbers }: ShapeText): unknown[] | undefined {
  const used: Param[] = [];
  for (let place = 0; place < params.length; place++) {
    const param = params[place] as Param;
    const number = numbers[place] as number;
    if (number <= used.length) {
      if (used[number - 1] !== param) return undefined;
    } else if (used.includes(param)) return undefined;
    else used.push(param);
  }
  return used.map(({ value }) => value);
}

function textOf(query: Sql, params: readonly Param[]): ShapeText {
  const byParam = new Map<Param, number>();
  const numbers = params.map(param => {
    const number = byParam.get(param) ?? byParam.size + 1;
    byParam.set(param, number);
    return number;
  });
  return { text: written(query, byParam), numbers };
}

function written(query: Sql, numbers: ReadonlyMap<Param, number>): string {
  if (query instanceof Param) return `$${numbers.get(query)}::${query.type}`;
  const { strings, parts } = query;
  if (typeof strings === 'string') return parts.map(part => written(part, numbers)).join(strings);
  return strings.reduce((text, next, index) => text + written(parts[index - 1] as Sql, numbers) + next);
}
