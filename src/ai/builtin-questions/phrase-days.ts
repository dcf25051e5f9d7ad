import type { Plan } from '../question-planner.js';
import { later } from './calendar.js';
import type { Language } from './tokenize.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The days that a filter keeps, as its plan has them: what "last week" was taken for. Empty where it names none. */
export function saidDays(plan: Plan, language: Language): string {
  const filter = plan.operation === 'several' ? undefined : plan.filter;
  const said = [...new Set(boundsIn(filter).map(bounds => sayBounds(bounds, language)))];
  return said.length === 0 ? '' : ` (${said.join('; ')}, UTC)`;
}

interface Bounds {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

function boundsIn(filter: unknown): Bounds[] {
  if (typeof filter !== 'object' || filter === null) return [];
  return Object.entries(filter).flatMap(([name, test]) => {
    if (Array.isArray(test)) return test.flatMap(boundsIn);
    const { $gte, $lt } = (test ?? {}) as { $gte?: unknown; $lt?: unknown };
    const [from, to] = [dayIn($gte), dayIn($lt)];
    return from === undefined && to === undefined
      ? []
      : [{ field: name, from, to: to && later(to, -1, 'day') }];
  });
}

function dayIn(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) ? value : undefined;
}

function sayBounds({ field, from, to }: Bounds, language: Language): string {
  if (from === to) return `${field} ${from}`;
  const [since, until] = language === 'en' ? ['from', 'to'] : ['du', 'au'];
  return [field, ...(from ? [since, from] : []), ...(to ? [until, to] : [])].join(' ');
}
