import { ownValue } from '../../kernel/json.js';
import type {
  AggregateData,
  DistinctData,
  Plan,
  PlanData,
  QueryData,
  QueryPlan,
  Say,
} from '../question-planner.js';
import { saidDays } from './phrase-days.js';
import { sayTable } from './phrase-table.js';
import type { Language } from './tokenize.js';

/** Values and groups that a sentence names before it points to the data. */
const NAMED = 10;

interface Words {
  readonly count: (count: number, whole: boolean) => string;
  readonly none: string;
  readonly records: (count: number, full: boolean) => string;
  readonly values: (count: number, field: string, full: boolean) => string;
  readonly figures: Readonly<Record<string, string>>;
  readonly of: string;
  readonly nothing: string;
  readonly more: string;
  readonly whole: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    count: (count, whole) =>
      `${count} ${count === 1 ? 'record' : 'records'}${whole ? '' : ` ${count === 1 ? 'matches' : 'match'}`}.`,
    none: 'No record matches.',
    records: (count, full) =>
      full
        ? `Here are ${count} records; there may be more.`
        : `${count} ${count === 1 ? 'record' : 'records'}.`,
    values: (count, field, full) =>
      `${count}${full ? ' or more' : ''} ${count === 1 ? 'value' : 'values'} of ${field}`,
    figures: { sum: 'sum', avg: 'average', min: 'minimum', max: 'maximum', count: 'count' },
    of: 'of',
    nothing: 'none',
    more: 'more in the data',
    whole: 'all',
  },
  fr: {
    count: (count, whole) =>
      `${count} ${count < 2 ? 'fiche' : 'fiches'}${whole ? '' : ` ${count < 2 ? 'correspond' : 'correspondent'}`}.`,
    none: 'Aucune fiche ne correspond.',
    records: (count, full) =>
      full
        ? `Voici ${count} fiches ; il peut y en avoir d'autres.`
        : `${count} ${count < 2 ? 'fiche' : 'fiches'}.`,
    values: (count, field, full) =>
      `${count}${full ? ' ou plus' : ''} ${count < 2 ? 'valeur' : 'valeurs'} de ${field}`,
    figures: { sum: 'somme', avg: 'moyenne', min: 'minimum', max: 'maximum', count: 'nombre' },
    of: 'de',
    nothing: 'aucune',
    more: 'la suite dans les données',
    whole: 'en tout',
  },
};

/** The sentence that a plan's data is told in. It takes every figure from the data and none from the question. */
export function phrase(plan: Plan, language: Language): Say {
  const words = WORDS[language];
  const days = saidDays(plan, language);
  const say = sayData(plan, words);
  return data => say(data).replace(/\.$/, `${days}.`);
}

function sayData(plan: Plan, words: Words): Say {
  return data => {
    switch (plan.operation) {
      case 'count':
        return words.count((data as { count: number }).count, plan.filter === undefined);
      case 'distinct':
        return sayValues(data as DistinctData, words);
      case 'query':
        return sayRecords(plan, data as QueryData, words);
      case 'aggregate':
        return sayResults(plan, data as PlanData as AggregateData, words);
      case 'several':
        return sayTable(plan, data as PlanData as AggregateData, words);
    }
  };
}

function sayValues({ values, count, field }: DistinctData, words: Words): string {
  if (count === 0) return words.none;
  return `${words.values(count, field, count >= 1_000)}: ${listed(
    values.map(value => text(value, words)),
    words,
  )}.`;
}

function sayRecords({ fields, limit, sort }: QueryPlan, { records, count }: QueryData, words: Words): string {
  if (count === 0) return words.none;
  const [first] = records;
  const shown = fields ?? (count === 1 ? telling(first, sort) : []);
  const summary = words.records(count, count === limit && count > 1 && sort === undefined);
  if (shown.length === 0 || first === undefined) return summary;
  const told = records.map(record =>
    shown.map(name => `${name} ${text(ownValue(record, name), words)}`).join(', '),
  );
  return count === 1 ? `${told[0]}.` : `${summary} ${listed(told, words, '; ')}.`;
}

/** Of one record: what it was ranked by, and what its first fields say of it. */
function telling(record: QueryData['records'][number] | undefined, sort: QueryPlan['sort']): string[] {
  const own = Object.keys(record ?? {}).filter(name => !['_id', 'created_at', 'updated_at'].includes(name));
  return [...new Set([...Object.keys(sort ?? {}), ...own.slice(0, 4)])];
}

function sayResults(
  plan: Plan & { operation: 'aggregate' },
  { results }: AggregateData,
  words: Words,
): string {
  const groups = plan.group_by === undefined ? [] : [plan.group_by].flat();
  if (results.length === 0) return words.none;
  const told = results.map(result => {
    const figures = plan.steps.map(({ type, input_field, output_field }) => {
      const name = `${words.figures[type]}${input_field === undefined ? '' : ` ${words.of} ${input_field}`}`;
      return groups.length > 0 && plan.steps.length === 1
        ? text(result[output_field], words)
        : `${name}: ${text(result[output_field], words)}`;
    });
    const group = groups.map(name => text(result[name], words)).join(' / ');
    return groups.length === 0 ? figures.join(', ') : `${group}: ${figures.join(', ')}`;
  });
  if (groups.length === 0) return `${told.join()}.`;
  const [only] = plan.steps;
  const title =
    plan.steps.length === 1
      ? `${words.figures[only!.type]}${only!.input_field === undefined ? '' : ` ${words.of} ${only!.input_field}`}, `
      : '';
  return `${title}${groups.join(' / ')} — ${listed(told, words, '; ')}.`;
}

function listed(told: readonly string[], { more }: Words, separator = ', '): string {
  const named = told.slice(0, NAMED);
  return told.length > NAMED ? [...named, more].join(separator) : named.join(separator);
}

/** A value as the data shows it, cut where it is prose. */
function text(value: unknown, { nothing }: Words): string {
  if (value === null || value === undefined) return nothing;
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}
