import type { Plan, SeveralPlan } from '../question-planner.js';
import { later } from './calendar.js';
import type { Language } from './tokenize.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The days that a filter keeps, as its plan has them: what "last week" was taken for. Empty where it names none. */
export function saidDays(plan: Plan, language: Language): string {
  const bounds = plan.operation === 'several' ? joined(plan) : boundsIn(plan.filter);
  const said = [...new Set(bounds.map(each => sayBounds(each, language)))];
  return said.length === 0 ? '' : ` (${said.join('; ')}, UTC)`;
}

interface Bounds {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** What follows without a gap is one time: the months of a year. */
function joined({ reads }: SeveralPlan): Bounds[] {
  const all = reads.flatMap(({ plan }) => boundsIn(plan.filter));
  const different = new Map(all.map(each => [JSON.stringify(each), each]));
  const ordered = [...different.values()].sort(
    (a, b) => order(a.field, b.field) || order(a.from ?? '', b.from ?? ''),
  );
  const said: Bounds[] = [];
  for (const next of ordered) {
    const last = said.at(-1);
    const follows =
      last?.field === next.field && last.to !== undefined && later(last.to, 1, 'day') === next.from;
    if (follows) said[said.length - 1] = { ...last, to: next.to };
    else said.push(next);
  }
  return said;
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function boundsIn(filter: unknown): Bounds[] {
  if (typeof filter !== 'object' || filter === null) return [];
  return Object.entries(filter).flatMap(([name, test]) => {
    if (Array.isArray(test)) return test.flatMap(boundsIn);
    if (isDays(test)) return test.$in.map(day => ({ field: name, from: day, to: day }));
    const { $gte, $lt } = (test ?? {}) as { $gte?: unknown; $lt?: unknown };
    const [from, to] = [dayIn($gte), dayIn($lt)];
    return from === undefined && to === undefined
      ? []
      : [{ field: name, from, to: to && later(to, -1, 'day') }];
  });
}

/** Those of one weekday. */
function isDays(test: unknown): test is { $in: string[] } {
  const { $in } = (test ?? {}) as { $in?: unknown };
  return Array.isArray($in) && $in.every(day => dayIn(day) !== undefined);
}

function dayIn(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined;
}

function sayBounds({ field, from, to }: Bounds, language: Language): string {
  if (from === to) return `${field} ${from}`;
  const [since, until] = language === 'en' ? ['from', 'to'] : ['du', 'au'];
  return [field, ...(from ? [since, from] : []), ...(to ? [until, to] : [])].join(' ');
}
