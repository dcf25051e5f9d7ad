import type { CalendarUnit } from './calendar.js';
import { DATES, hasKind, mainDate } from './choose.js';
import { isField, isRole } from './cursor.js';
import type { Mark } from './marks.js';
import { isRecords, type Reading } from './reading.js';
import { refuseCalendarGroup, refuseFields, refusePurpose } from './refusal.js';

const UNITS: readonly (readonly [RegExp, CalendarUnit])[] = [
  [/^(?:day|jour|daily|quotidien)/i, 'day'],
  [/^(?:week|semaine|hebdo)/i, 'week'],
  [/^(?:month|mois|mensuel)/i, 'month'],
  [/^(?:quarter|trimestr)/i, 'quarter'],
  [/^(?:year|an)/i, 'year'],
];

function unitOf(mark: Mark): CalendarUnit | undefined {
  if (isRole(mark, 'weekday')) return 'weekday';
  if (isField(mark) || !(mark.calendarUnit || isRole(mark, 'periodic'))) return undefined;
  return UNITS.find(([pattern]) => pattern.test(mark.text))?.[1];
}

/** `per month`, `each week`, `by weekday`; `hired per year`, of the date just named; `monthly revenue`. */
export function readCalendar(reading: Reading): true | undefined {
  const { cursor } = reading;
  if (cursor.is('periodic')) return readPeriodic(reading);
  if (isAsked(reading)) return byUnit(reading);
  const dated = cursor.peek();
  const named = hasKind(dated, DATES) && !isRole(dated, 'filler') ? cursor.take() : undefined;
  cursor.accept('in');
  const isEach = cursor.accept('group', 'each') !== undefined || isEvery(cursor.peek());
  if (!isEach) return undefined;
  if (isEvery(cursor.peek())) cursor.take();
  cursor.accept('each');
  return unitOf(cursor.peek()) && byUnit(reading, named);
}

function isEvery({ text }: Mark): boolean {
  return /^every$/i.test(text);
}

/** "Which month had …" */
function isAsked({ cursor, draft }: Reading): boolean {
  return draft.ask === 'which' && isRole(cursor.last, 'which', 'what') && unitOf(cursor.peek()) !== undefined;
}

/** "Monthly orders" are orders per month; a monthly fee is none. */
function readPeriodic(reading: Reading): true | undefined {
  const next = reading.cursor.peek(1);
  return isRecords(next) || (next.total && hasKind(next, ['number'])) ? byUnit(reading) : undefined;
}

function byUnit(reading: Reading, named?: Mark): true {
  const { cursor, draft, ground, conditions } = reading;
  const mark = cursor.take();
  const unit = unitOf(mark)!;
  if (draft.calendar !== undefined || draft.groups.length > 0) refuseCalendarGroup(mark.text);
  // "Average revenue per month" may be the average of the months.
  if (draft.figures.some(({ type }) => type === 'avg') && saysFlow(reading))
    refusePurpose(`per ${mark.text}`);
  const dates = named?.fields?.filter(({ kind }) => DATES.includes(kind)) ?? [];
  if (dates.length > 1) refuseFields(named!.text, dates);
  const [field] = dates;
  conditions.dated ??= field;
  if (field !== undefined) draft.entity = true;
  const days = unit === 'day' ? (field ?? draft.event ?? mainDate(mark.text, ground)) : undefined;
  // Days are values of a `date` column.
  if (days?.kind === 'day') draft.groups.push(days);
  else draft.calendar = { unit, text: mark.text, ...(field && { field }) };
  if (draft.calendar && cursor.attempt(() => reading.nextInList())) refuseCalendarGroup(mark.text);
  return true;
}

/** Words for what is only ever added up, such as "revenue". */
function saysFlow({ cursor }: Reading): boolean {
  return cursor.behind().some(({ total }) => total === true);
}
