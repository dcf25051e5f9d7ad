import { chosen, DATES, hasKind, mainDate, mainSize } from './choose.js';
import { isRole } from './cursor.js';
import type { Figure } from './draft.js';
import type { Kind } from './fields.js';
import type { Mark } from './marks.js';
import { addedOf, piecesOf } from './pieces.js';
import { readFigure } from './read-figure.js';
import { isName, isPlural, isRecords, type Reading } from './reading.js';
import { refuseMost, refusePurpose } from './refusal.js';

type Direction = 1 | -1;

const SUPERLATIVES = ['min', 'max', 'top', 'bottom', 'newest', 'oldest'] as const;
/** How many "the largest orders" are when no number is said. */
const TOP = 10;

/** `the most orders`, `spent the most`, `fewest incidents`. */
export function readMost(reading: Reading): true | undefined {
  const { cursor, ground } = reading;
  const isVerb = hasKind(cursor.peek(), ['number']) && isRole(cursor.peek(1), 'most', 'fewest');
  const verb = isVerb ? cursor.take() : undefined;
  cursor.accept('with');
  const role = cursor.accept('most', 'fewest');
  if (role === undefined) return undefined;
  const direction = isRole(role, 'most') ? -1 : 1;
  if (verb === undefined && isRecords(cursor.peek())) {
    return rankSubject(reading, reading.takeRecords(), direction);
  }
  const number = verb ?? cursor.peek();
  const isCounted = number.values !== undefined && piecesOf(ground.fields).length === 0;
  if (isCounted && reading.draft.head !== undefined)
    return rankSubject(reading, { type: 'count' }, direction);
  if (!hasKind(number, ['number'])) refuseMost(role.text, addedOf(ground.fields));
  if (verb === undefined) cursor.take();
  return rankSubject(reading, { type: 'sum', field: chosen(number, ['number'], ground) }, direction);
}

/** Ranks the groups of the subject, or without one the records. */
export function rankSubject({ cursor, draft }: Reading, by: Figure, direction: Direction): true {
  if (draft.rank !== undefined) refusePurpose(cursor.last.text);
  if (draft.calendar !== undefined) {
    draft.rank = { direction, by };
    return true;
  }
  // "the first name of the employee with the most holidays" is about one employee, not about all of that name.
  if (!draft.entity || by.field === undefined) draft.head ??= draft.shown.shift();
  const { head } = draft;
  if (head === undefined && (by.field === undefined || (!draft.entity && draft.ask !== 'which'))) {
    refusePurpose(cursor.last.text);
  }
  const limit = draft.limit ?? (head?.plural ? undefined : 1);
  draft.rank = { direction, by: head === undefined ? by.field! : by, ...(limit && { limit }) };
  return true;
}

/** `top 5 customers`, `the 3 lowest salaries`, `last 10 orders`, `the largest order`. */
export function readSuperlative(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  const isNth = cursor.peek().ordinal !== undefined && isRole(cursor.peek(1), 'min', 'max');
  if (isNth) return nth(reading, cursor.take().ordinal!);
  cursor.accept('with');
  const isCounted = cursor.peek().number !== undefined && isRole(cursor.peek(1), ...SUPERLATIVES);
  const before = isCounted ? cursor.take().number : undefined;
  const mark = cursor.accept(...SUPERLATIVES);
  if (mark === undefined) return undefined;
  const limit = before ?? (cursor.peek().number === undefined ? undefined : cursor.take().number);
  const direction = isRole(mark, 'min', 'bottom', 'oldest') ? 1 : -1;
  const figure = cursor.peek().total && draft.head === undefined ? undefined : readFigure(reading);
  if (figure !== undefined) {
    const subject = draft.head ?? draft.shown[0] ?? draft.calendar;
    return subject && rankSubject(reading, figure, direction);
  }
  const noun = cursor.peek();
  // "Which month had the highest revenue": what is only ever added up.
  if (draft.calendar !== undefined && noun.total && hasKind(noun, ['number'])) {
    const by = chosen(cursor.take(), ['number'], reading.ground);
    return rankSubject(reading, { type: 'sum', field: by }, direction);
  }
  if (isRecords(noun)) return records(reading, mark, direction, limit);
  if (!isName(noun)) return undefined;
  if (isRole(mark, 'top', 'bottom')) return topOf(reading, direction, limit);
  const kinds: readonly Kind[] = isRole(mark, 'newest', 'oldest') ? DATES : ['number', ...DATES];
  return extreme(reading, kinds, direction, limit);
}

/** `second largest order`: the one record of that place. */
function nth(reading: Reading, place: number): true | undefined {
  const read = readSuperlative(reading);
  const { rank, head } = reading.draft;
  if (read === undefined || rank === undefined) return undefined;
  if (rank.limit !== 1 || head !== undefined) refusePurpose(reading.cursor.last.text);
  rank.nth = place;
  return true;
}

/** `the largest order`, `last 10 orders`, `top 5 orders` by what follows. */
function records(
  reading: Reading,
  { text, role }: Mark,
  direction: Direction,
  limit: number | undefined,
): true {
  const { draft, ground } = reading;
  if (draft.rank !== undefined) refusePurpose(text);
  reading.takeRecords();
  const isDate = role === 'newest' || role === 'oldest';
  const isSize = role === 'min' || role === 'max';
  const by = isDate ? mainDate(text, ground) : isSize ? mainSize(text, ground) : undefined;
  draft.rank = { direction, ...(by && { by }), limit: limitOf(reading, limit) };
  return true;
}

/** The number said here or before the records, else as many as the noun just read makes one expect. */
function limitOf({ cursor, draft }: Reading, said: number | undefined): number {
  return said ?? draft.limit ?? (isPlural(cursor.last.text) ? TOP : 1);
}

/** `top 5 customers`: groups, ranked by what follows; `top 5 salaries`: records. */
function topOf(reading: Reading, direction: Direction, said: number | undefined): true {
  const { cursor, draft, ground } = reading;
  const { text } = cursor.peek();
  if (draft.rank !== undefined) refusePurpose(text);
  const field = chosen(cursor.take(), undefined, ground);
  const limit = limitOf(reading, said);
  if (field.kind === 'number') {
    draft.rank = { direction, by: field, limit };
    draft.shown.push({ field, text, plural: true });
  } else {
    draft.rank = { direction, limit };
    draft.head = { field, plural: true };
  }
  return true;
}

/** `highest salary`: the figure itself, or whose it is. */
function extreme(
  reading: Reading,
  kinds: readonly Kind[],
  direction: Direction,
  said: number | undefined,
): true | undefined {
  const { cursor, draft, ground } = reading;
  const noun = cursor.peek();
  const type = direction === 1 ? 'min' : 'max';
  if (cursor.peek(1).entity && cursor.peek(1).direct) return ofRecords(reading, kinds, direction, said);
  const several =
    said !== undefined || draft.limit !== undefined || (draft.ask === 'list' && isPlural(noun.text));
  if (!several && !isWhose(reading)) {
    if (!hasKind(noun, DATES)) return undefined;
    draft.figures.push({ type, field: chosen(cursor.take(), kinds, ground) });
    return true;
  }
  if (draft.rank !== undefined) refusePurpose(noun.text);
  const field = chosen(cursor.take(), kinds, ground);
  if (draft.head !== undefined) return rankSubject(reading, { type, field }, direction);
  if (said !== undefined) draft.shown.push({ field, text: noun.text, plural: true });
  draft.rank = { direction, by: field, limit: limitOf(reading, said) };
  return true;
}

/** `latest opened incident`: of the records that are named at once. */
function ofRecords(
  reading: Reading,
  kinds: readonly Kind[],
  direction: Direction,
  said: number | undefined,
): true {
  const { cursor, draft, ground } = reading;
  const noun = cursor.take();
  const by = chosen(noun, kinds, ground);
  // The highest priority is 1 to some.
  if (draft.rank !== undefined || by.words.some(word => ['priority', 'rank', 'level'].includes(word))) {
    refusePurpose(noun.text);
  }
  reading.takeRecords();
  draft.rank = { direction, by, limit: limitOf(reading, said) };
  return true;
}

/** "which employee has the highest …", "the employee with the highest …". */
function isWhose({ cursor, draft }: Reading): boolean {
  const follows = isRole(cursor.peek(-2), 'with') || isRole(cursor.peek(-1), 'with');
  return draft.head !== undefined || draft.ask === 'which' || (draft.entity && follows);
}
