import { numbersOf } from '../context.js';
import type { Figure } from '../draft.js';
import { chosen } from '../fields/choose.js';
import { DATES, type Kind } from '../fields/fields.js';
import { isSum } from '../fields/names.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { key } from '../words/things.js';
import { type Acted, hasKind, isKind, type Reader } from './reader.js';

export const FIGURES = ['sum', 'avg', 'min', 'max'] as const;
export type Direction = 1 | -1;
type Types = readonly [Figure['type'], ...Figure['type'][]];

/** Kinds of fields that a figure can be made of. */
function kindsOf(type: Figure['type']): readonly Kind[] {
  return type === 'min' || type === 'max' ? ['number', ...DATES] : ['number'];
}

/** Reads one figure: `average salary`, `number of orders`, `total amount`. Takes no term if there is none. */
export function readFigure(reader: Reader): Figure | undefined {
  return reader.attempt(() => {
    if (reader.match('count &records')) return reader.takeRecords();
    if (reader.match('count !field')) return { type: 'count' };
    const total = reader.is('total');
    const type = total ? 'sum' : (reader.accept(...FIGURES)?.role as Figure['type'] | undefined);
    if (type === undefined) return undefined;
    if (!total) skipRecords(reader);
    const kinds = kindsOf(type);
    return hasKind(reader.peek(), kinds) ? { type, field: reader.choose(kinds) } : undefined;
  });
}

/** "average order amount" is the average amount. */
function skipRecords(reader: Reader): undefined {
  if (reader.is('entity') && hasKind(reader.peek(1), ['number'])) reader.takeRecords();
}

/** "Total sales" in a collection of sales can mean their number or their amount. */
export const isFlow = ({ draft, context }: Reader, { text }: Term): boolean =>
  isSum([text], context) && !draft.count && numbersOf(context).length > 0;

/** `average and maximum salary`, `salaire moyen`, `total orders`. */
export function readFigures(reader: Reader): Acted {
  const { draft, context } = reader;
  const first = reader.peek();
  const types = typesOf(reader, first);
  if (types === undefined) return false;
  const [type, ...more] = types;
  // "the average number of users" is the average of the users.
  reader.match('count &numberField');
  skipRecords(reader);
  const noun = reader.peek();
  if (isKind(noun, 'name') && hasKind(noun, kindsOf(type))) return figuresOf(reader, types);
  if (postponed(reader, types) !== false) return;
  const [other] = noun.fields ?? [];
  if (type === 'sum' && more.length === 0 && (isKind(noun, 'records') || draft.count)) {
    if (isFlow(reader, noun)) refuse('missing', `${first.text} ${noun.text}`, numbersOf(context));
    draft.count = true;
  } else if (first.fields !== undefined && more.length === 0) {
    // The word for a figure can also be the whole name of a field: the sum of `total`.
    draft.figures.push({ type, field: chosen(first, context, kindsOf(type)) });
  } else if (other !== undefined) refuse('kind', first.text, context.fields, other.name);
  else refuse('missing', first.text, numbersOf(context));
}

function typesOf(reader: Reader, first: Term): Types | undefined {
  const types: Figure['type'][] = [];
  const next = () => reader.accept(...FIGURES)?.role as Figure['type'] | undefined;
  for (let type = next(); type; type = reader.attempt(() => (reader.joint() === 'and' ? next() : undefined)))
    types.push(type);
  if (types.length > 0) return types as unknown as Types;
  return isAddedUp(reader, first) ? ['sum'] : undefined;
}

/** "Total sales" asks for a sum, unless it is one of the fields to list. */
function isAddedUp(reader: Reader, term: Term): boolean {
  const { draft } = reader;
  if (!isKind(term, 'flow') || draft.distinct || isKind(reader.peek(1), ...FIGURES)) return false;
  const named = term.fields!.some(({ words }) => key(term.text.split(' ')) === words.join(' '));
  const listed = named && !isKind(reader.peek(1), 'group');
  if (draft.ask === 'list' && (listed || draft.shown.length > 0)) return false;
  return !reader.isCondition();
}

function figuresOf(reader: Reader, types: Types): undefined {
  const { draft, context } = reader;
  do {
    const term = reader.take();
    for (const type of types) draft.figures.push({ type, field: chosen(term, context, kindsOf(type)) });
  } while (reader.nextInList());
}

/**
 * French puts the word for the figure after its field: `salaire moyen`, `le montant le plus élevé`, `salaire moyen le
 * plus élevé`.
 */
function postponed(reader: Reader, types: Types): Acted {
  const { draft } = reader;
  const [type] = types;
  const direction = type === 'min' ? 1 : type === 'max' ? -1 : undefined;
  const field = draft.shown.at(-1)?.field ?? draft.head?.field;
  if (field === undefined || !kindsOf(type).includes(field.kind)) {
    const figure = direction === undefined || draft.head === undefined ? undefined : draft.figures.pop();
    return figure ? rankSubject(reader, figure, direction!) : false;
  }
  if (draft.shown.pop() === undefined) draft.head = undefined;
  if (direction !== undefined && types.length === 1 && draft.rank === undefined) {
    if (draft.head !== undefined) return rankSubject(reader, { type, field }, direction);
    if (draft.ask === 'which' || draft.limit !== undefined || isKind(reader.peek(-3), 'with')) {
      draft.rank = { direction, by: field, limit: draft.limit ?? 1 };
      return;
    }
  }
  draft.figures.push(...types.map(each => ({ type: each, field })));
}

/** Ranks the groups of the subject; without a subject, the records. */
export function rankSubject({ last, draft }: Reader, by: Figure, direction: Direction): undefined {
  if (draft.rank !== undefined) refuse('purpose', last.text);
  if (draft.calendar !== undefined) {
    draft.rank = { direction, by };
    return;
  }
  // "the first name of the employee with the most holidays" asks about one employee, not about all employees with that
  // name.
  if (!draft.entity || by.field === undefined) draft.head ??= draft.shown.shift();
  const { head } = draft;
  const isOfRecords = by.field !== undefined && (draft.entity || draft.ask === 'which');
  if (head === undefined && !isOfRecords) refuse('purpose', last.text);
  const limit = draft.limit ?? (head?.plural ? undefined : 1);
  draft.rank = { direction, by: head === undefined ? by.field! : by, ...(limit && { limit }) };
}
