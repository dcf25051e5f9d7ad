import type { Context } from '../context.js';
import type { Draft } from '../draft.js';
import { DATES } from '../fields/fields.js';
import { says } from '../lexicon/lexicon.js';
import { later, type Period, unitFrom } from '../plans/days.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { hasKind, isKind, Reader } from './reader.js';
import { SHAPES } from './shapes.js';

/** Reads the terms of a question from left to right. Refuses the question if a term is not used. */
export function readQuestion(terms: readonly Term[], context: Context): Draft {
  const isFiller = ({ role, fields, values, verb }: Term) => role === 'filler' && !fields && !values && !verb;
  const direct = terms.map((term, at) => ({ ...term, direct: at > 0 && !isFiller(terms[at - 1]!) }));
  const telling = direct.filter(term => !isFiller(term));
  const reader = new Reader(telling, context, SHAPES);
  while (!reader.done) step(reader);
  const { assumed, possible } = reader.draft;
  // "Shipped to Paris last month": in which month it was ordered, or shipped?
  if (assumed !== undefined && possible.length > 0)
    refuse('columns', possible[0]!.name, [...new Set([assumed, ...possible])]);
  reader.draft.ofAll ||= terms.some(({ text, role }) => role === 'filler' && says(context, 'only', text));
  return reader.draft;
}

function step(reader: Reader): void {
  const { context, draft } = reader;
  const joined = reader.joint();
  if (reader.done && joined !== 'or') return;
  if (joined !== 'or' && reader.act('asking')) return;
  reader.joined = joined !== undefined;
  const filter = reader.first('conditions');
  if (filter !== undefined) draft.conditions.push({ filter, joined: joined ?? 'and' });
  else if (joined === 'or') refuse('mixedLogic');
  if (filter !== undefined || reader.act('naming')) return;
  const { text } = reader.peek();
  const values = [...new Set(context.values.like(text.toLowerCase()))].slice(0, 3);
  refuse('word', text, context.fields, '', values);
}

/**
 * "In January or March 2025": a month without a year that comes before a month with a year has the same year, not the
 * current one. If it would then be the later month ("December vs January 2025"), or comes second, its year is
 * ambiguous.
 */
export function inOneYear(terms: readonly Term[]): Term[] {
  const said = terms.findIndex(({ period }) => period?.yearSaid === true);
  const start = terms[said]?.period?.start;
  // "Between November and February 2025" is one period, whose years are read elsewhere.
  const beginsRange = (at: number) =>
    isKind(terms[at - 1], 'between', 'from', 'since') && isKind(terms[at + 1], 'and', 'to', 'until');
  return terms.map((term, at) => {
    if (start === undefined || term.period?.yearSaid !== false || beginsRange(at)) return term;
    // "Hired in January, born before March 1990" has two dates of different fields.
    const between = terms.slice(Math.min(at, said), Math.max(at, said));
    if (between.some(each => each.verb !== undefined || hasKind(each, DATES))) return term;
    const period = inYear(term.period, start.slice(0, 4));
    if (at > said || period === undefined || period.start! >= start) refuse('year', term.text);
    return { ...term, period };
  });
}

/** Undefined for 29 February of a year that is not a leap year. */
function inYear({ start, end }: Period, year: string): Period | undefined {
  const moved = `${year}${start!.slice(4)}`;
  const isMonth = end === later(start!, 1, 'month');
  return later(moved, 0, 'day') === moved ? unitFrom(moved, isMonth ? 'month' : 'day') : undefined;
}
