import { LEXICONS, type Lexicon, languageOf } from '../lexicon/lexicon.js';
import type { AggregatePlan, AggregateStep, Plan, QueryPlan, Say, SeveralPlan } from '../plan.js';
import { later } from '../plans/days.js';

type Answers = Lexicon['answers'];
type Row = Readonly<Record<string, unknown>>;

/** The result of a plan, with the fields of all operations. */
interface Data {
  readonly count?: number;
  readonly field?: string;
  readonly values?: readonly unknown[];
  readonly records?: readonly Row[];
  readonly results?: readonly Row[];
}

/**
 * Maximum number of values and groups that a sentence lists. ROWS is the maximum for the table of several reads, such
 * as the months of a year.
 */
const NAMED = 10;
const ROWS = 12;
/** Maximum number of characters of a value. */
const MAX_TEXT = 100;

/**
 * Returns a function that words the data of a plan, in the language of its question. Every figure comes from the data.
 */
export function sayPlan(question: string, plan: Plan): Say {
  const lexicon = LEXICONS[languageOf(question)];
  const days = saidDays(plan, lexicon);
  return data => sayData(plan, data, lexicon).replace(/\.$/, () => `${days}.`);
}

function sayData(plan: Plan, data: Data, { answers }: Lexicon): string {
  switch (plan.operation) {
    case 'count': {
      const { one, many, oneMatch, manyMatch } = answers;
      const [single, several] = plan.filter === undefined ? [one, many] : [oneMatch, manyMatch];
      return counted(data.count!, single, several, answers);
    }
    case 'distinct':
      return sayValues(data, answers);
    case 'query':
      return sayRecords(plan, data, answers);
    case 'aggregate':
      return sayGroups(plan, data.results!, answers);
    case 'several':
      return sayTable(plan, data.results!, answers);
  }
}

/** 0 is singular in French and plural in English. */
function counted(count: number, one: string, many: string, { of }: Answers, field = ''): string {
  const isOne = count === 1 || (count === 0 && of === 'de');
  return (isOne ? one : many).replace('{count}', String(count)).replace('{field}', () => field);
}

function sayValues({ values, count, field }: Data, answers: Answers): string {
  if (count === 0) return answers.none;
  const { oneValue, manyValues, fullValues } = answers;
  const [one, many] = count! >= 1_000 ? [fullValues, fullValues] : [oneValue, manyValues];
  const named = listed(
    values!.map(value => shown(value, answers)),
    answers,
    NAMED,
    ', ',
  );
  return `${counted(count!, one, many, answers, field)}: ${named}.`;
}

function sayRecords({ fields, limit, sort }: QueryPlan, { records, count }: Data, answers: Answers): string {
  const [first] = records!;
  if (first === undefined) return answers.none;
  // A language model may send an object, such as `{name: 1}`, as clients do.
  const names = Array.isArray(fields) ? fields : count === 1 ? tellingOf(first, sort) : [];
  const isFull = count === limit && count > 1 && sort === undefined;
  const summary = isFull
    ? counted(count, answers.more, answers.more, answers)
    : counted(count!, answers.one, answers.many, answers);
  if (names.length === 0) return summary;
  const phrases = records!.map(record => {
    const value = (name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);
    return names.map(name => `${name} ${shown(value(name), answers)}`).join(', ');
  });
  return count === 1 ? `${phrases[0]}.` : `${summary} ${listed(phrases, answers)}.`;
}

/** The names of the fields that describe a record: those of the sort, and the first four others. */
function tellingOf(record: Row, sort: QueryPlan['sort']): string[] {
  const own = Object.keys(record).filter(name => !['_id', 'created_at', 'updated_at'].includes(name));
  return [...new Set([...Object.keys(sort ?? {}), ...own.slice(0, 4)])];
}

function sayGroups(
  { group_by = [], steps }: AggregatePlan,
  results: readonly Row[],
  answers: Answers,
): string {
  if (results.length === 0) return answers.none;
  const groups = [group_by].flat();
  const isShort = groups.length > 0 && steps.length === 1;
  const phrases = results.map(row => {
    const figures = steps.map(step => {
      const value = shown(row[step.output_field], answers);
      return isShort ? value : `${titleOf(step, answers)}: ${value}`;
    });
    const name = groups.map(group => shown(row[group], answers)).join(' / ');
    return `${groups.length === 0 ? '' : `${name}: `}${figures.join(', ')}`;
  });
  if (groups.length === 0) return `${phrases.join()}.`;
  const title = steps.length === 1 ? `${titleOf(steps[0]!, answers)}, ` : '';
  return `${title}${groups.join(' / ')} — ${listed(phrases, answers)}.`;
}

/** The table of several reads in one sentence. */
function sayTable(plan: SeveralPlan, results: readonly Row[], answers: Answers): string {
  const last = plan.reads.at(-1)!.plan;
  const figures =
    last.operation === 'count' ? [{ type: 'count', output_field: 'count' } as const] : last.steps;
  const title = titleOf(figures[0]!, answers);
  const isOne = figures.length === 1;
  const figuresOf = (row: Row) =>
    figures
      .map(step => `${isOne ? '' : `${titleOf(step, answers)} `}${shown(row[step.output_field], answers)}`)
      .join(', ');
  const percentOf = ({ percent }: Row) => (percent === null ? answers.nothing : `${percent} %`);
  const [part, whole, ...more] = results;
  if (plan.percent && part && whole && more.length === 0)
    return `${title}: ${figuresOf(part)} ${answers.of} ${figuresOf(whole)}, ${percentOf(part)}.`;
  const phrases = results.map(row => {
    const percent = plan.percent ? ` (${percentOf(row)})` : '';
    return `${nameOf(row, plan, answers)}: ${figuresOf(row)}${percent}`;
  });
  return `${isOne ? `${title}, ` : ''}${plan.by} — ${listed(phrases, answers, ROWS)}.`;
}

/** The name of a row: the values of its groups, or the name of its read. */
function nameOf(row: Row, { by, reads }: SeveralPlan, answers: Answers): string {
  const read = reads.find(({ name }) => name === row[by])?.plan;
  const groups = read?.operation === 'aggregate' ? [read.group_by ?? []].flat() : [];
  if (groups.length > 0) return groups.map(name => shown(row[name], answers)).join(' / ');
  return row[by] === 'whole' ? answers.whole : shown(row[by], answers);
}

function titleOf({ type, input_field }: AggregateStep, answers: Answers): string {
  return `${answers[type]}${input_field === undefined ? '' : ` ${answers.of} ${input_field}`}`;
}

function listed(phrases: readonly string[], { rest }: Answers, most = NAMED, separator = '; '): string {
  return [...phrases.slice(0, most), ...(phrases.length > most ? [rest] : [])].join(separator);
}

/** The text of a value, cut when it is long. */
function shown(value: unknown, { nothing }: Answers): string {
  if (value === null || value === undefined) return nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(withoutNoise(value));
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** A sum such as 26403.770000000008 is 26403.77: a double has 15 significant decimal digits. Whole numbers stay exact. */
function withoutNoise(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(15)) : value;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The dates in a plan's filters as text, to show how a phrase such as "last week" was understood. Empty without dates.
 */
export function saidDays(plan: Plan, { answers }: Lexicon): string {
  const bounds = plan.operation === 'several' ? joined(plan) : boundsIn(plan.filter);
  const said = bounds.map(({ field, from, to }) => {
    if (from === to) return `${field} ${from}`;
    return [field, ...(from ? [answers.from, from] : []), ...(to ? [answers.to, to] : [])].join(' ');
  });
  return said.length === 0 ? '' : ` (${[...new Set(said)].join('; ')}, UTC)`;
}

interface Bounds {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Merges periods that follow each other without a gap, such as the months of a year. */
function joined({ reads }: SeveralPlan): Bounds[] {
  const all = reads.flatMap(({ plan }) => boundsIn(plan.filter));
  const different = [...new Map(all.map(each => [JSON.stringify(each), each])).values()];
  const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
  const said: Bounds[] = [];
  for (const next of different.sort((a, b) => order(a.field, b.field) || order(a.from ?? '', b.from ?? ''))) {
    const last = said.at(-1);
    const follows = last?.field === next.field && last.to && later(last.to, 1, 'day') === next.from;
    if (follows) said[said.length - 1] = { ...last, to: next.to };
    else said.push(next);
  }
  return said;
}

function boundsIn(filter: unknown): Bounds[] {
  if (typeof filter !== 'object' || filter === null) return [];
  return Object.entries(filter).flatMap(([field, test]): Bounds[] => {
    if (Array.isArray(test)) return test.flatMap(boundsIn);
    const { $gte, $lt, $in } = (test ?? {}) as { $gte?: unknown; $lt?: unknown; $in?: unknown };
    const days = Array.isArray($in) ? $in.map(dayIn) : [];
    // A filter by weekday lists single days.
    if (Array.isArray($in) && !days.includes(undefined))
      return days.map(day => ({ field, from: day, to: day }));
    const [from, end] = [dayIn($gte), dayIn($lt)];
    return (from ?? end) === undefined ? [] : [{ field, from, to: end && later(end, -1, 'day') }];
  });
}

function dayIn(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined;
}
