import { invalid } from '../../base/kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../base/kernel/json.js';
import { shortened } from '../../base/kernel/text.js';
import { timeZone } from '../../base/kernel/time-zone.js';
import { parseFieldPath, parseFilter, parseSort } from '../../engine/filter/index.js';
import type { Aggregation } from '../../engine/storage/records/aggregate/aggregate.js';
import {
  type GroupKey,
  PERIODS,
  type Period,
  type Range,
} from '../../engine/storage/records/aggregate/groups.js';
import type { AggregateStep } from '../../engine/storage/records/aggregate/steps.js';
import type { AggregatedRecords, AggregateStepBody } from './analytics.dto.js';

const MAX_GROUP_FIELDS = 5;
const ENTRY = ['field', 'every', 'zone', 'step', 'as'];

/** The aggregation that a request describes. Throws 400; what depends on the columns is checked with the statement. */
export function parseAggregation(body: AggregatedRecords): Aggregation {
  const groupBy = groupKeys(body.group_by);
  const names = [...groupBy.map(({ name }) => name), ...body.steps.map(step => step.output_field)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalid(`steps: two fields of the result would be named ${JSON.stringify(shortened(twice))}`);
  return {
    steps: body.steps.map(parseStep),
    groupBy,
    fill: body.fill ? filledGroup(groupBy) : undefined,
    filter: optionalFilter(body.filter),
    having: optionalFilter(body.having),
    sort:
      body.sort === undefined
        ? undefined
        : parseSort(body.sort).filter(({ path }) => names.includes(path.join('.')) || path[0] !== '_id'),
    limit: body.limit,
  };
}

export function optionalFilter(filter: unknown) {
  return filter === undefined ? undefined : parseFilter(filter);
}

function parseStep({ type, input_field, output_field, filter, at, sort }: AggregateStepBody): AggregateStep {
  const named = `steps: ${type} of ${JSON.stringify(shortened(output_field))}`;
  if ((at === undefined) === (type === 'percentile'))
    throw invalid(
      at === undefined
        ? `${named} needs 'at', a number from 0 to 1`
        : `${named} takes no 'at': only percentile has one`,
    );
  const isOrdered = type === 'first' || type === 'last';
  if ((sort === undefined) === isOrdered)
    throw invalid(
      sort === undefined
        ? `${named} needs 'sort', such as {"created_at": 1}`
        : `${named} takes no 'sort': only first and last have one`,
    );
  return {
    type,
    input: input_field === undefined ? undefined : parseFieldPath(input_field),
    output: resultName(output_field, 'steps: the output_field'),
    filter: optionalFilter(filter),
    at,
    sort: sort === undefined ? undefined : parseSort(sort),
  };
}

/** A name in the result follows the rules for top-level field names. */
function resultName(name: unknown, where: string): string {
  if (parseFieldPath(name).length > 1)
    throw invalid(`${where} ${JSON.stringify(shortened(name as string))} must not contain '.'`);
  return name as string;
}

function groupKeys(groupBy: unknown): GroupKey[] {
  if (groupBy === undefined) return [];
  const list = Array.isArray(groupBy) ? groupBy : [groupBy];
  if (list.length > MAX_GROUP_FIELDS) throw invalid(`group_by: at most ${MAX_GROUP_FIELDS} fields`);
  return list.map(groupKey);
}

function groupKey(entry: unknown): GroupKey {
  if (!isJsonObject(entry)) {
    if (typeof entry !== 'string')
      throw invalid(
        'group_by: an entry must be a field name (a string) or an object such as {"field": "created_at", "every": "month"}',
      );
    const path = parseFieldPath(entry);
    return { path, name: path.join('.') };
  }
  const other = Object.keys(entry).find(name => !ENTRY.includes(name));
  if (other !== undefined)
    throw invalid(
      `group_by: ${JSON.stringify(shortened(other))} is not a property of an entry; it has ${ENTRY.join(', ')}`,
    );
  if (entry.field === undefined) throw invalid("group_by: an entry needs 'field', the name of a field");
  const path = parseFieldPath(entry.field);
  const name = entry.as === undefined ? path.join('.') : resultName(entry.as, "group_by: the name 'as'");
  return { path, name, by: periodOf(entry) ?? rangeOf(entry) };
}

function periodOf({ every, zone, step }: JsonObject): Period | undefined {
  if (every === undefined) {
    if (zone !== undefined) throw invalid("group_by: 'zone' needs 'every'");
    return undefined;
  }
  if (step !== undefined) throw invalid("group_by: an entry has 'every' or 'step', not both");
  const known = PERIODS.find(each => each === every);
  if (known === undefined) throw invalid(`group_by: 'every' must be one of: ${PERIODS.join(', ')}`);
  return { every: known, zone: zone === undefined ? undefined : zoneName(zone) };
}

function zoneName(zone: unknown): string {
  const known = typeof zone === 'string' ? timeZone(zone) : undefined;
  if (known === undefined)
    throw invalid("group_by: 'zone' must be the name of an IANA time zone, such as Europe/Paris");
  return known;
}

function rangeOf({ step }: JsonObject): Range | undefined {
  if (step === undefined) return undefined;
  if (typeof step !== 'number' || !Number.isFinite(step) || step <= 0)
    throw invalid("group_by: 'step' must be a number greater than 0");
  return { step };
}

/** The only group, which has a sequence of values. */
function filledGroup(groupBy: readonly GroupKey[]): Period | Range {
  const [only, ...others] = groupBy;
  if (only?.by === undefined || others.length > 0)
    throw invalid("fill: needs a 'group_by' of one entry with 'every' or 'step'");
  return only.by;
}
