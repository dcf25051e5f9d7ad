import type { AggregatePlan, AggregateStep, Plan, QueryPlan } from '../src/plan.js';

/** A question and the plan that answers it, or that none should be given. */
export type Case = readonly [question: string, expected: Plan | 'refused'];

type Filter = Readonly<Record<string, unknown>>;

export function count(filter?: Filter): Plan {
  return { operation: 'count', ...(filter && { filter }) };
}

/** The values of a field; null is none. */
export function values(field: string, filter?: Filter): Plan {
  return { operation: 'distinct', field, filter: { [field]: { $ne: null }, ...filter } };
}

export function list(filter?: Filter, more: Partial<QueryPlan> = {}): Plan {
  return { operation: 'query', ...(filter && { filter }), limit: 100, ...more };
}

/** Figures as `avg salary, count`; `by`: groups. Outputs are named `avg_salary` and `count`. */
export function figures(
  steps: string,
  filter?: Filter,
  more: Omit<Partial<AggregatePlan>, 'operation' | 'steps'> = {},
): Plan {
  return { operation: 'aggregate', steps: steps.split(', ').map(stepOf), ...(filter && { filter }), ...more };
}

function stepOf(text: string): AggregateStep {
  const [type, field] = text.split(' ') as [AggregateStep['type'], string?];
  return field === undefined
    ? { type, output_field: type }
    : { type, input_field: field, output_field: `${type}_${field}` };
}

/** From a day to the one before another. */
export function days(start: string, end: string): Filter {
  return { $gte: start, $lt: end };
}

export const refused = 'refused';
