import { later, type Period, period } from './calendar.js';
import { DATES, hasKind } from './choose.js';
import { isRole } from './cursor.js';
import type { Mark } from './marks.js';
import { refuseYear } from './refusal.js';

/**
 * "In January or March 2025": a month without a year that stands before one with a year is of the same, not of today's.
 * Where it would be the later one ("December vs January 2025"), or stands behind, its year is a guess.
 */
export function inOneYear(marks: readonly Mark[]): Mark[] {
  const said = marks.findIndex(({ period }) => period?.yearSaid === true);
  const year = marks[said]?.period?.start?.slice(0, 4);
  return marks.map((mark, at) => {
    if (year === undefined || mark.period?.yearSaid !== false || beginsRange(marks, at)) return mark;
    if (marks.slice(Math.min(at, said), Math.max(at, said)).some(isOfAnother)) return mark;
    const moved = inYear(mark.period as Required<Period>, year);
    if (at > said || moved === undefined || moved.start! >= marks[said]!.period!.start!)
      refuseYear(mark.text);
    return { ...mark, period: moved };
  });
}

/** "Hired in January, born before March 1990": two dates of different things. */
function isOfAnother(mark: Mark): boolean {
  return mark.verb !== undefined || hasKind(mark, DATES);
}

/** "Between November and February 2025" is one time, whose reader knows its years. */
function beginsRange(marks: readonly Mark[], at: number): boolean {
  const [before, after] = [marks[at - 1], marks[at + 1]];
  return (
    before !== undefined &&
    after !== undefined &&
    isRole(before, 'between', 'from', 'since') &&
    isRole(after, 'and', 'to', 'until')
  );
}

/** Undefined for 29 February where the year has none. */
function inYear({ start, end }: Required<Period>, year: string): Period | undefined {
  const [month, day] = [Number(start.slice(5, 7)), Number(start.slice(8))];
  return period(Number(year), month, end === later(start, 1, 'month') ? undefined : day);
}
