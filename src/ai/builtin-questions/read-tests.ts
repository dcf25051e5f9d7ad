import type { Period } from './calendar.js';
import { period } from './calendar.js';
import { type Cursor, isRole } from './cursor.js';
import type { Filter } from './draft.js';
import type { Mark, Measure } from './marks.js';

/** A comparison to a number, before it is known which field it is made of. */
export interface NumberTest {
  readonly test: Filter | number;
  readonly measure: Measure | undefined;
  /** False for a bare number, which says so little that its field must stand beside it. */
  readonly explicit: boolean;
}

const OPERATORS = { gt: '$gt', gte: '$gte', lt: '$lt', lte: '$lte' } as const;
const OPPOSITE = { gt: '$lte', gte: '$lt', lt: '$gte', lte: '$gt' } as const;

/** `over 100`, `between 1 and 5`, `5 or more`, `= 3`, `3`. */
export function numberTest(cursor: Cursor, not: boolean): NumberTest | undefined {
  return cursor.attempt(() => rangeTest(cursor, not)) ?? cursor.attempt(() => comparedNumber(cursor, not));
}

function rangeTest(cursor: Cursor, not: boolean): NumberTest | undefined {
  if (not || !cursor.accept('between', 'from')) return undefined;
  const low = cursor.take();
  const joint = cursor.accept('and', 'to');
  const high = cursor.take();
  if (low.number === undefined || high.number === undefined || joint === undefined) return undefined;
  if (low.number > high.number) return undefined;
  return {
    test: { $gte: low.number, $lte: high.number },
    measure: high.measure ?? low.measure,
    explicit: true,
  };
}

function comparedNumber(cursor: Cursor, not: boolean): NumberTest | undefined {
  const comparison = cursor.accept('gt', 'gte', 'lt', 'lte')?.role as keyof typeof OPERATORS | undefined;
  const equal = comparison === undefined && cursor.accept('eq') !== undefined;
  const { number, measure } = cursor.take();
  if (number === undefined) return undefined;
  if (comparison !== undefined) {
    return { test: { [(not ? OPPOSITE : OPERATORS)[comparison]]: number }, measure, explicit: true };
  }
  const end = cursor.accept('orMore', 'orLess');
  const bound = end === undefined ? undefined : isRole(end, 'orMore') ? 'gte' : 'lte';
  if (bound !== undefined)
    return { test: { [(not ? OPPOSITE : OPERATORS)[bound]]: number }, measure, explicit: true };
  const others = otherNumbers(cursor);
  if (others.length > 0)
    return { test: { [not ? '$nin' : '$in']: [number, ...others] }, measure, explicit: equal };
  return { test: not ? { $ne: number } : number, measure, explicit: equal };
}

/** `3, 4 or 5`: numbers without a unit, the last two joined by "or". */
function otherNumbers(cursor: Cursor): number[] {
  const found = cursor.attempt(() => {
    const numbers: number[] = [];
    let or = false;
    while (!or && (cursor.peek().comma || cursor.is('or'))) {
      or = isRole(cursor.take(), 'or');
      const { number, measure, fields, values } = cursor.take();
      if (number === undefined || (measure ?? fields ?? values)) return undefined;
      numbers.push(number);
    }
    return or && !cursor.is('orMore', 'orLess') ? numbers : undefined;
  });
  return found ?? [];
}

/** `in 2025`, `since March`, `between January and March 2025`, `last week`: days as bounds. */
export function timeTest(cursor: Cursor, not: boolean): Filter | undefined {
  const within = cursor.attempt(() => timeRange(cursor)) ?? cursor.attempt(() => timeBound(cursor));
  if (within === undefined) return undefined;
  const test = { ...(within.start && { $gte: within.start }), ...(within.end && { $lt: within.end }) };
  return not ? { $not: test } : test;
}

function timeRange(cursor: Cursor): Period | undefined {
  if (!cursor.accept('between', 'from', 'since')) return undefined;
  const first = cursor.take();
  cursor.accept('in', 'from');
  if (!cursor.accept('and', 'to', 'until')) return undefined;
  cursor.accept('in');
  const second = cursor.take();
  const [from, to] = [periodOf(first), periodOf(second)];
  if (from?.start === undefined || to?.end === undefined) return undefined;
  const start = inYearOf(first, second, from.start, to.end);
  return start < to.end ? { start, end: to.end } : undefined;
}

/** "between November and February 2025": the first month takes its year from the second. */
function inYearOf(first: Mark, second: Mark, start: string, end: string): string {
  if (/\d{4}/.test(first.text) || !/\d{4}/.test(second.text)) return start;
  const year = Number(end.slice(0, 4)) - (end.slice(5) === '01-01' ? 1 : 0);
  const same = `${year}${start.slice(4)}`;
  return same < end ? same : `${year - 1}${start.slice(4)}`;
}

function timeBound(cursor: Cursor): Period | undefined {
  const relation = cursor.accept(
    'since',
    'before',
    'after',
    'until',
    'in',
    'from',
    'eq',
    'gt',
    'gte',
    'lt',
    'lte',
    'to',
  );
  cursor.accept('in');
  const mark = cursor.take();
  const found = relation === undefined ? mark.period : periodOf(mark);
  if (found === undefined) return undefined;
  const { start, end } = found;
  if (isRole(relation ?? mark, ...COMPARISONS)) return comparedTo(found, relation!);
  switch (relation?.role) {
    case 'since':
      return { start };
    case 'after':
      return { start: end };
    case 'before':
      return { end: start };
    case 'until':
      return { end };
    case 'from':
      // "from 3 March" may begin a span or be the whole of it.
      return relation.text === 'from' && isOneDay(found) ? undefined : found;
    case 'to':
      return undefined;
    default:
      return found;
  }
}

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const;

/** `more than 5 years ago` is earlier, `> 2025-01-01` later; "older than 2025" is left to "before". */
function comparedTo({ start, end, ago }: Period, { role, text }: Mark): Period | undefined {
  if (!ago && !/^[<>=≤≥]+$/.test(text)) return undefined;
  const isMore = role === 'gt' || role === 'gte';
  if (isMore === (ago === true)) return { end: role === 'gt' || role === 'lt' ? start : end };
  return { start: role === 'gt' || role === 'lt' ? end : start };
}

function isOneDay({ start, end }: Period): boolean {
  return start !== undefined && end !== undefined && Date.parse(end) - Date.parse(start) === 86_400_000;
}

function periodOf(mark: Mark): Period | undefined {
  return mark.period ?? (mark.year && mark.number !== undefined ? period(mark.number) : undefined);
}
