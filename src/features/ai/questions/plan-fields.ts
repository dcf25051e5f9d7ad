import type { AggregatePlan, Read } from '@typed-collections/plain-questions';
import { invalid } from '../../../base/kernel/errors.js';
import { shortened } from '../../../base/kernel/text.js';
import {
  type FieldPath,
  type Filter,
  parseFieldPath,
  parseFilter,
  parseProjection,
  parseSort,
} from '../../../engine/filter/index.js';

/** The fields of records that a plan reads, each once. Throws 400 for what REST would refuse as a name or filter. */
export function fieldsRead(plan: Read): readonly FieldPath[] {
  const paths = [...namedBy(plan), ...pathsOf(plan.filter)];
  return [...new Map(paths.map(path => [path.join('.'), path])).values()];
}

function namedBy(plan: Read): readonly FieldPath[] {
  switch (plan.operation) {
    case 'query':
      return [
        ...parseSort(plan.sort).map(({ path }) => path),
        ...(parseProjection(plan.fields)?.paths ?? []),
      ];
    case 'count':
      return [];
    case 'distinct':
      return [parseFieldPath(plan.field)];
    case 'aggregate':
      return [...groupsOf(plan), ...plan.steps.flatMap(({ input_field }) => input_field ?? [])].map(
        parseFieldPath,
      );
  }
}

const RESULT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Throws 400 when `having` contains a field that no result has, because such a filter would silently match nothing.
 * Also throws 400 for an `output_field` that is not a simple name: names appear in the answer and could pose as text of
 * the service.
 */
export function requireResultFields(plan: AggregatePlan): void {
  if (!plan.steps.every(({ output_field }) => RESULT_NAME.test(output_field))) {
    throw invalid('steps: an output_field is 1 to 63 of A-Z a-z 0-9 _, not beginning with a digit');
  }
  const results = [...groupsOf(plan), ...plan.steps.map(({ output_field }) => output_field)];
  const stranger = pathsOf(plan.having).find(path => !results.includes(path.join('.')));
  if (stranger === undefined) return;
  throw invalid(
    `having: ${JSON.stringify(shortened(stranger.join('.')))} is neither a field of group_by nor an output_field`,
  );
}

function groupsOf({ group_by = [] }: AggregatePlan): readonly string[] {
  return Array.isArray(group_by) ? group_by : [group_by as string];
}

function pathsOf(filter: unknown): readonly FieldPath[] {
  return filter === undefined ? [] : pathsIn(parseFilter(filter));
}

/** Names inside an `$elemMatch` are fields of array elements, so only the path of the array is returned. */
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
