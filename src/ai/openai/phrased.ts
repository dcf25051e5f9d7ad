import type {
  AggregateData,
  AggregatePlan,
  CountData,
  DistinctData,
  DistinctPlan,
  Plan,
  QueryData,
  QueryPlan,
  Say,
} from '../question-planner.js';

const MAX_VALUES = 20;
const MAX_GROUPS = 10;
const MAX_RECORDS = 5;
const MAX_FIELDS = 4;
const MAX_DISTINCT = 1_000;
const MAX_TEXT = 80;
const HIDDEN = new Set(['_id', 'created_at', 'updated_at']);

type Row = Readonly<Record<string, unknown>>;

/** The sentence for a plan of any maker. Words are ours, figures and values those of the data. */
export function phrased(plan: Plan): Say {
  switch (plan.operation) {
    case 'query':
      return data => records(plan, data as QueryData);
    case 'count':
      return data => counted((data as CountData).count);
    case 'distinct':
      return data => values(plan, data as DistinctData);
    case 'aggregate':
      return data => results(plan, data as AggregateData);
  }
}

function counted(count: number): string {
  if (count === 0) return 'No record matches.';
  return count === 1 ? '1 record matches.' : `${count} records match.`;
}

function records({ limit, fields }: QueryPlan, { count, records }: QueryData): string {
  const found = count === limit && count > 1 ? `The first ${count} records that match.` : counted(count);
  const shown = records.slice(0, MAX_RECORDS).map(record => described(record, fields));
  const list = shown.filter(text => text !== '').join('; ');
  return list === '' ? found : `${found.slice(0, -1)}: ${list}${more(count > MAX_RECORDS)}.`;
}

function values({ field }: DistinctPlan, { count, values }: DistinctData): string {
  if (count === 0) return `No record has a value of ${field}.`;
  const list = values.slice(0, MAX_VALUES).map(shown).join(', ');
  const known =
    count === MAX_DISTINCT
      ? `The first ${count} values`
      : count === 1
        ? 'The only value'
        : `The ${count} values`;
  return `${known} of ${field}: ${list}${more(count > MAX_VALUES)}.`;
}

function results({ group_by, steps }: AggregatePlan, { results }: AggregateData): string {
  const outputs = steps.map(({ output_field }) => output_field);
  const groups = group_by === undefined ? [] : [group_by].flat();
  if (results.length === 0) return 'No record matches.';
  if (groups.length === 0) return `${members(results[0] as Row, outputs)}.`;
  const list = results.slice(0, MAX_GROUPS).map(row => {
    const figures = outputs.length === 1 ? shown(row[outputs[0] as string]) : members(row, outputs);
    return `${groups.map(group => shown(row[group])).join(', ')}: ${figures}`;
  });
  const of = outputs.length === 1 ? `${outputs[0]} by ${groups.join(', ')}` : `By ${groups.join(', ')}`;
  return `${of} – ${list.join('; ')}${more(results.length > MAX_GROUPS)}.`;
}

function described(record: Row, fields: readonly string[] | undefined): string {
  const names = fields ?? Object.keys(record).filter(name => record[name] !== null);
  return members(record, names.filter(name => !HIDDEN.has(name) && name in record).slice(0, MAX_FIELDS));
}

function members(row: Row, names: readonly string[]): string {
  return names.map(name => `${name} ${shown(row[name])}`).join(', ');
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}

function more(hidden: boolean): string {
  return hidden ? ' and others' : '';
}
