import type { ClientBase, FieldDef } from 'pg';
import type { PreparedNames } from '../database/connections/prepared-names.js';
import type { Rows } from '../database/statements.js';
import type { Statement } from './statement.js';
import { numbered, type Step, stepsOf } from './steps.js';

/** Rows of a step as SQL can take them in again: JSON of them, each value as PostgreSQL wrote it. */
interface Carried {
  readonly columns: string;
  readonly json: string;
}

/** Types of what steps return (pg_type). */
const TYPES: Readonly<Record<number, string>> = {
  16: 'boolean',
  20: 'bigint',
  23: 'integer',
  25: 'text',
  701: 'double precision',
  1082: 'date',
  1184: 'timestamptz',
  2950: 'uuid',
};
const AS_WRITTEN = { getTypeParser: () => (value: unknown) => value };

/**
 * Runs a statement that writes by CTEs as one statement for each of them, in the caller's transaction. Citus would do so as
 * well, but hand the rows in between to every node, so that none could be missing; and it cannot prepare such a statement.
 *
 * It comes to the same: each step sees what was committed before it, so rows that were locked are not older than their
 * lock, and the table is locked from before the fence is read, so that it stays in the version that the fence says. One row
 * `[0]` when the fence does not hold.
 */
export async function runStepwise(
  client: ClientBase,
  names: PreparedNames,
  { text, values }: Statement,
): Promise<Rows> {
  const carried = new Map<string, Carried>();
  const steps = stepsOf(text);
  const inline = new Map(steps.filter(step => !step.touches).map(step => [step.name as string, step]));
  for (const step of steps) {
    if (step.name !== undefined && inline.has(step.name)) continue;
    const made = withCarried(step, inline, carried, values);
    const name = names.of(made.text);
    const { rows, fields } = await client.query<unknown[]>({
      ...made,
      rowMode: 'array',
      ...(name && { name }),
      ...(step.name && { types: AS_WRITTEN }),
    });
    if (step.name === undefined) return rows;
    if (step.name === 'fence' && rows.length === 0) return [[0]];
    carried.set(step.name, carry(rows, fields));
  }
  throw new Error('a statement without an end');
}

/** True for a statement whose CTEs write, or lock. */
export function isStepwise({ text }: Statement): boolean {
  return /^\s*WITH fence\b/.test(text);
}

/** Takes the lock that every statement on a table takes; it goes before the fence. */
export function lockOf({ text }: Statement): string {
  const table = /\borg_[0-9a-f]{32}\.c_[0-9a-f]{32}\b/.exec(text)?.[0] as string;
  return `SELECT FROM ${table} WHERE false`;
}

function withCarried(
  step: Step,
  inline: ReadonlyMap<string, Step>,
  carried: ReadonlyMap<string, Carried>,
  values: readonly unknown[],
): { text: string; values: unknown[] } {
  const all = [...values];
  const ctes = new Map<string, string>();
  const need = (name: string) => {
    if (ctes.has(name)) return;
    const known = carried.get(name);
    const { uses, text } = inline.get(name) ?? { uses: [], text: '' };
    for (const used of uses) need(used);
    const from =
      known && `SELECT * FROM jsonb_to_recordset($${all.push(known.json)}::jsonb) AS s(${known.columns})`;
    ctes.set(name, `${name} AS NOT MATERIALIZED (${from ?? text})`);
  };
  for (const name of step.uses) need(name);
  const head = ctes.size === 0 ? '' : `WITH ${[...ctes.values()].join(', ')} `;
  return numbered(head + step.text, all);
}

/** Without columns, only how many rows there are is known: that takes a column all the same. */
function carry(rows: Rows, fields: readonly FieldDef[]): Carried {
  const columns = fields.map(({ name, dataTypeID }) => {
    const type = TYPES[dataTypeID];
    if (type === undefined) throw new Error(`no step returns type ${dataTypeID}`);
    return `"${name}" ${type}`;
  });
  const objects = rows.map(row => Object.fromEntries(fields.map(({ name }, at) => [name, row[at]])));
  return { columns: columns.join(', ') || 'nothing integer', json: JSON.stringify(objects) };
}
