import type { AggregateData, SeveralPlan } from '../question-planner.js';

interface Words {
  readonly figures: Readonly<Record<string, string>>;
  readonly of: string;
  readonly nothing: string;
  readonly more: string;
  readonly whole: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Rows that a sentence tells: the months of a year. */
const TOLD = 12;

/** The table of several reads in one sentence: its figures are those of the data. */
export function sayTable(plan: SeveralPlan, { results }: AggregateData, words: Words): string {
  const named = plan.reads.at(-1)!.plan;
  const figures = named.operation === 'count' ? [{ type: 'count', output_field: 'count' }] : named.steps;
  const titles = figures.map(figure => titleOf(figure, words));
  const one = titles.length === 1;
  const sayRow = (row: Row) => {
    const said = figures.map(({ output_field }, index) => {
      const value = shown(row[output_field], words);
      return one ? value : `${titles[index]} ${value}`;
    });
    return said.join(', ');
  };
  if (plan.percent && results.length === 2) {
    const [part, whole] = results as [Row, Row];
    return `${titles[0]}: ${sayRow(part)} ${words.of} ${sayRow(whole)}, ${percentOf(part, words)}.`;
  }
  const told = results.slice(0, TOLD).map(row => {
    const name = nameOf(row, plan, words);
    return `${name}: ${sayRow(row)}${plan.percent ? ` (${percentOf(row, words)})` : ''}`;
  });
  const rest = results.length > TOLD ? [words.more] : [];
  return `${one ? `${titles[0]}, ` : ''}${plan.by} — ${[...told, ...rest].join('; ')}.`;
}

function titleOf({ type, input_field }: { type: string; input_field?: string }, words: Words): string {
  return `${words.figures[type]}${input_field === undefined ? '' : ` ${words.of} ${input_field}`}`;
}

/** Of a part by groups, the values of its groups. */
function nameOf(row: Row, { by, reads }: SeveralPlan, words: Words): string {
  const read = reads.find(({ name }) => name === row[by])?.plan;
  const groups = read?.operation === 'aggregate' && read.group_by !== undefined ? [read.group_by].flat() : [];
  if (groups.length > 0) return groups.map(name => shown(row[name], words)).join(' / ');
  return row[by] === 'whole' ? words.whole : shown(row[by], words);
}

function percentOf({ percent }: Row, { nothing }: Words): string {
  return percent === null ? nothing : `${percent} %`;
}

function shown(value: unknown, { nothing }: Words): string {
  if (value === null || value === undefined) return nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
