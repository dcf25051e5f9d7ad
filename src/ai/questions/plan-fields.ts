import { type FieldPath, type Filter, parseFieldPath, parseFilter } from '../../filter/index.js';
import { invalid } from '../../kernel/errors.js';
import type { AggregatePlan, Plan } from '../question-planner.js';

/** The fields of records that a plan reads, each once. Throws 400 for what REST would refuse as a name or filter. */
export function fieldsRead(plan: Plan): readonly FieldPath[] {
  const names = [...namedBy(plan)];
  const paths = [...names.map(parseFieldPath), ...pathsOf(plan.filter)];
  return [...new Map(paths.map(path => [path.join('.'), path])).values()];
}

function namedBy(plan: Plan): Iterable<string> {
  switch (plan.operation) {
    case 'query':
      return [...Object.keys(plan.sort ?? {}), ...(plan.fields ?? [])];
    case 'count':
      return [];
    case 'distinct':
      return [plan.field];
    case 'aggregate':
      return [...groupsOf(plan), ...plan.steps.flatMap(({ input_field }) => input_field ?? [])];
  }
}

/** Throws 400 when `having` names what no result has: such a filter would leave out every result silently. */
export function requireResultFields(plan: AggregatePlan): void {
  const results = [...groupsOf(plan), ...plan.steps.map(({ output_field }) => output_field)];
  const stranger = pathsOf(plan.having).find(path => !results.includes(path.join('.')));
  if (stranger === undefined) return;
  throw invalid(`having: ${JSON.stringify(stranger.join('.'))} is neither grouped by nor an output_field`);
}

function groupsOf({ group_by = [] }: AggregatePlan): readonly string[] {
  return typeof group_by === 'string' ? [group_by] : group_by;
}

function pathsOf(filter: unknown): readonly FieldPath[] {
  return filter === undefined ? [] : pathsIn(parseFilter(filter));
}

/** Names inside an `$elemMatch` are those of an array's elements, so only the array's own counts. */
function pathsIn(filter: Filter): readonly FieldPath[] {
  switch (filter.kind) {
    case 'field':
      return [filter.path];
    case 'searchAll':
      return [];
    default:
      return filter.filters.flatMap(pathsIn);
  }
}
