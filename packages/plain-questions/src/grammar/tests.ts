import type { Field } from '../fields/fields.js';
import { fieldsSaying } from '../fields/names.js';
import type { ValueMatch } from '../fields/values.js';
import { says, THINGS } from '../lexicon/lexicon.js';
import type { Filter } from '../plan.js';
import { later, type Period, type Span, yearSpan } from '../plans/days.js';
import type { Term } from '../words/terms.js';
import { isKind, type NumberTest, type Reader } from './reader.js';

const OPERATORS = { gt: '$gt', gte: '$gte', lt: '$lt', lte: '$lte', orMore: '$gte', orLess: '$lte' } as const;
const OPPOSITES = { $gt: '$lte', $gte: '$lt', $lt: '$gte', $lte: '$gt' } as const;

export function comparedTo({ role }: Term, { number, measure }: Term): NumberTest {
  const operator = OPERATORS[role as keyof typeof OPERATORS];
  return { test: not => ({ [not ? OPPOSITES[operator] : operator]: number }), measure, explicit: true };
}

export function between(_: Reader, low: Term, high: Term): NumberTest | undefined {
  if (low.number! > high.number!) return undefined;
  const test = { $gte: low.number, $lte: high.number };
  return { test: () => test, measure: high.measure ?? low.measure, explicit: true };
}

/** `3`, `= 3`, `3, 4 or 5`. */
export function equalTo(reader: Reader, equal: Term | undefined, { number, measure }: Term): NumberTest {
  const all = [number!, ...otherNumbers(reader)];
  const test = (not: boolean) =>
    all.length > 1 ? { [not ? '$nin' : '$in']: all } : not ? { $ne: number } : number!;
  return { test, measure, explicit: equal !== undefined };
}

/** `3, 4 or 5`: numbers without a unit, the last two joined by "or". */
function otherNumbers(reader: Reader): number[] {
  const found = reader.attempt(() => {
    const numbers: number[] = [];
    let or = false;
    while (!or && reader.is('comma', 'or')) {
      or = isKind(reader.take(), 'or');
      const { number, measure, fields, values } = reader.take();
      if (number === undefined || (measure ?? fields ?? values)) return undefined;
      numbers.push(number);
    }
    return or && !reader.is('orMore', 'orLess') ? numbers : undefined;
  });
  return found ?? [];
}

/** A number that is compared: `over 100`, `between 1 and 5`, `5 or more`, `= 3`, `3`. */
export function numberTest(reader: Reader, not: boolean) {
  const found = not && reader.is('between', 'from') ? undefined : reader.first('numbers');
  return found && { ...found, test: found.test(not) };
}

/** `in 2025`, `since March`, `between January and March 2025`, `last week`: a period as bounds of days. */
export function timeTest(reader: Reader, not: boolean): Filter | undefined {
  const within = reader.first('times');
  if (within === undefined) return undefined;
  const test = { ...(within.start && { $gte: within.start }), ...(within.end && { $lt: within.end }) };
  return not ? { $not: test } : test;
}

export function periodOf({ period, number }: Term): Span {
  return (period as Span | undefined) ?? yearSpan(number!);
}

/** "between November and February 2025": the first month takes its year from the second. */
export function fromTo(_: Reader, first: Term, second: Term): Span | undefined {
  const [{ start }, { end }] = [periodOf(first), periodOf(second)];
  const isSaid = /\d{4}/.test(first.text) || !/\d{4}/.test(second.text);
  const year = Number(end.slice(0, 4)) - (end.slice(5) === '01-01' ? 1 : 0);
  const same = `${year}${start.slice(4)}`;
  const from = isSaid ? start : same < end ? same : `${year - 1}${start.slice(4)}`;
  return from < end ? { start: from, end } : undefined;
}

/** `more than 5 years ago` means earlier, `> 2025-01-01` means later. "older than 2025" is read as "before". */
export function beyond(_: Reader, { role, text }: Term, time: Term): Period | undefined {
  const { start, end } = periodOf(time);
  const ago = time.period?.ago === true;
  if (!ago && !/^[<>=≤≥]+$/.test(text)) return undefined;
  const isMore = role === 'gt' || role === 'gte';
  const isStrict = role === 'gt' || role === 'lt';
  return isMore === ago ? { end: isStrict ? start : end } : { start: isStrict ? end : start };
}

/** "from 3 March" may be the start of a period or the whole period. */
export function fromTime({ context }: Reader, from: Term, time: Term): Span | undefined {
  const { start, end } = periodOf(time);
  return says(context, 'from', from.text) && later(start, 1, 'day') === end ? undefined : { start, end };
}

/**
 * One or several values of one field: `open`, `Paris, Lyon or Nice`. A record can have several values in a list field,
 * so there "and" requires all of them. In other fields "and" can only mean one of them. Returns the fields that all
 * values belong to.
 */
export function readValues(reader: Reader, within: readonly Field[] | undefined, not: boolean) {
  const first = valuesAt(reader, within);
  if (first === undefined) return undefined;
  reader.take();
  const items = [first];
  let [fields, all] = [fieldsIn(first), false];
  for (;;) {
    const item = reader.attempt(() => nextItem(reader, fields, not));
    if (item === undefined) break;
    all ||= item.and;
    fields = fieldsIn(item.matches);
    items.push(item.matches);
  }
  const lists = items.map(item => item.find(({ field }) => field === fields[0])!.values);
  const isList = fields[0]!.kind === 'list';
  if (all && isList && !not) return { fields, test: { $all: lists.map(values => values[0]) } };
  reader.draft.ofAll ||= all && !not && !isList;
  return { fields, test: valueTest(lists.flat(), not) };
}

function nextItem(reader: Reader, fields: readonly Field[], not: boolean) {
  let [joined, and] = [false, false];
  while (reader.is('and', 'or', 'comma') || (not && joined && reader.is('not'))) {
    and ||= reader.is('and');
    joined = true;
    reader.take();
  }
  if (not) reader.accept('not');
  // "To Rome and from Paris" compares two columns.
  if (reader.is('from') && fieldsSaying(fields, THINGS.classes.destination).length > 0) return undefined;
  reader.attempt(() => reader.accept('in', 'from', 'eq') && valuesAt(reader, fields));
  const matches = joined ? valuesAt(reader, fields) : undefined;
  if (matches === undefined) return undefined;
  reader.take();
  return { matches, and };
}

const fieldsIn = (matches: readonly ValueMatch[]) => matches.map(({ field }) => field);

/** The test that the next term makes on these fields. */
function valuesAt(reader: Reader, within: readonly Field[] | undefined): ValueMatch[] | undefined {
  const { values = [] } = reader.peek();
  const fitting = values.filter(({ field }) => within === undefined || within.includes(field));
  return fitting.length === 0 ? undefined : fitting;
}

/** Equality to one of some values, or to none of them. */
export function valueTest(values: readonly string[], not: boolean): unknown {
  if (values.length === 1) return not ? { $ne: values[0] } : values[0];
  return not ? { $nin: values } : { $in: values };
}
