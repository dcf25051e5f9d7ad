import { later } from '../../kernel/calendar.js';
import type { Lexicon } from '../../plain-questions/lexicon/lexicon.js';
import type { Plan, SeveralPlan } from '../question-planner.js';

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
