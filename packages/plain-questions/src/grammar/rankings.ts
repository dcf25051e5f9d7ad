import { addedOf, piecesOf } from '../context.js';
import { chosen, mainDate, mainSize, refuseDoubt } from '../fields/choose.js';
import { DATES, type Field, type Kind } from '../fields/fields.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { isPlural, isWord } from '../words/things.js';
import { type Direction, rankSubject, readFigure } from './figures.js';
import { type Acted, hasKind, isKind, type Reader } from './reader.js';

/** How many "the largest orders" are when no number is said. */
const TOP = 10;

/** `the most orders`, `fewest incidents`. */
export function readMost(reader: Reader, { text, role }: Term): undefined {
  const { draft, context } = reader;
  const direction = role === 'most' ? -1 : 1;
  if (reader.is('records')) return rankSubject(reader, reader.takeRecords(), direction);
  const isCounted = reader.is('values') && piecesOf(context).length === 0;
  if (isCounted && draft.head !== undefined) return rankSubject(reader, { type: 'count' }, direction);
  if (!reader.is('numberField')) refuse('most', text, addedOf(context));
  rankSubject(reader, { type: 'sum', field: reader.choose(['number']) }, direction);
}

/** `spent the most`. */
export function readSpentMost(reader: Reader, number: Term, { role }: Term): undefined {
  refuseDoubt(number);
  const field = chosen(number, reader.context, ['number']);
  rankSubject(reader, { type: 'sum', field }, role === 'most' ? -1 : 1);
}

/** `top 5 customers`, `the 3 lowest salaries`, `last 10 orders`, `the largest order`. */
export function readSuperlative(reader: Reader, before: Term | undefined, term: Term): Acted {
  const { draft } = reader;
  const limit = (before ?? reader.accept('number'))?.number;
  const direction = isKind(term, 'min', 'bottom', 'oldest') ? 1 : -1;
  const figure = reader.is('total') && draft.head === undefined ? undefined : readFigure(reader);
  const isOfGroups = (draft.head ?? draft.shown[0] ?? draft.calendar) !== undefined;
  if (figure !== undefined) return isOfGroups ? rankSubject(reader, figure, direction) : false;
  // "Which month had the highest revenue": what is only ever added up.
  if (draft.calendar !== undefined && reader.is('flow'))
    return rankSubject(reader, { type: 'sum', field: reader.choose(['number']) }, direction);
  if (reader.is('records')) return ofRecords(reader, term, direction, limit);
  if (!reader.is('name')) return false;
  if (isKind(term, 'top', 'bottom')) return topOf(reader, direction, limit);
  const kinds = isKind(term, 'newest', 'oldest') ? DATES : (['number', ...DATES] as const);
  return extreme(reader, kinds, direction, limit);
}

/** `second largest order`: the one record of that place. */
export function readNth(reader: Reader, { ordinal }: Term, term: Term): Acted {
  const read = readSuperlative(reader, undefined, term);
  const { rank, head } = reader.draft;
  if (read === false || rank === undefined) return false;
  if (rank.limit !== 1 || head !== undefined) refuse('purpose', reader.last.text);
  rank.nth = ordinal!;
}

/** Ranks by a field. As many as were said here or before, else as the noun just read makes one expect. */
function rankBy(reader: Reader, text: string, direction: Direction, limit?: number, by?: Field): undefined {
  const { draft, last } = reader;
  if (draft.rank !== undefined) refuse('purpose', text);
  const few = limit ?? draft.limit ?? (isPlural(last.text) ? TOP : 1);
  draft.rank = { direction, ...(by && { by }), limit: few };
}

/** `the largest order`, `last 10 orders`, `top 5 orders` by what follows. */
function ofRecords(reader: Reader, term: Term, direction: Direction, limit?: number): undefined {
  const { text } = term;
  reader.takeRecords();
  const isSize = isKind(term, 'min', 'max');
  const date = isKind(term, 'newest', 'oldest') ? mainDate(text, reader.context) : undefined;
  rankBy(reader, text, direction, limit, isSize ? mainSize(text, reader.context) : date);
}

/** `top 5 customers`: groups, ranked by what follows; `top 5 salaries`: records. */
function topOf(reader: Reader, direction: Direction, limit?: number): undefined {
  const { text } = reader.peek();
  const field = reader.choose();
  const isNumber = field.kind === 'number';
  rankBy(reader, text, direction, limit, isNumber ? field : undefined);
  if (isNumber) reader.draft.shown.push({ field, text, plural: true });
  else reader.draft.head = { field, plural: true };
}

/** `highest salary`: the figure itself, or whose it is. */
function extreme(reader: Reader, kinds: readonly Kind[], direction: Direction, limit?: number): Acted {
  const { draft } = reader;
  const noun = reader.peek();
  const type = direction === 1 ? 'min' : 'max';
  if (reader.peek(1).entity && reader.peek(1).direct) return ofNamed(reader, kinds, direction, limit);
  const several = (limit ?? draft.limit) !== undefined || (draft.ask === 'list' && isPlural(noun.text));
  if (!several && !isWhose(reader)) {
    if (!hasKind(noun, DATES)) return false;
    draft.figures.push({ type, field: reader.choose(kinds) });
    return;
  }
  if (draft.rank !== undefined) refuse('purpose', noun.text);
  const field = reader.choose(kinds);
  if (draft.head !== undefined) return rankSubject(reader, { type, field }, direction);
  if (limit !== undefined) draft.shown.push({ field, text: noun.text, plural: true });
  rankBy(reader, noun.text, direction, limit, field);
}

/** `latest opened incident`: a ranking of the records that are named right after it. */
function ofNamed(reader: Reader, kinds: readonly Kind[], direction: Direction, limit?: number): undefined {
  const { text } = reader.peek();
  const by = reader.choose(kinds);
  // Ambiguous: some people call priority 1 the highest.
  if (by.words.some(word => isWord(word, 'ranked'))) refuse('purpose', text);
  reader.takeRecords();
  rankBy(reader, text, direction, limit, by);
}

/** "which employee has the highest …", "the employee with the highest …". */
function isWhose(reader: Reader): boolean {
  const { head, ask, entity } = reader.draft;
  const follows = isKind(reader.peek(-2), 'with') || isKind(reader.last, 'with');
  return head !== undefined || ask === 'which' || (entity && follows);
}
