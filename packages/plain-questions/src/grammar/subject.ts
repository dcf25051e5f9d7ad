import { type Context, numbersOf, piecesOf } from '../context.js';
import type { Draft } from '../draft.js';
import { refuseDoubt } from '../fields/choose.js';
import type { Field } from '../fields/fields.js';
import { fieldsSaying, isSold } from '../fields/names.js';
import { says, THINGS } from '../lexicon/lexicon.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { isPlural, isThing, isWord, type ThingClass } from '../words/things.js';
import { FIGURES, isFlow } from './figures.js';
import { type Acted, hasKind, isDate, isKind, type Reader, verbOf } from './reader.js';

/** `show 10 orders`. */
export function readLimit({ draft, at }: Reader, { number }: Term): Acted {
  if (draft.ask === undefined && at > 2) return false;
  Object.assign(draft, { limit: number!, entity: true });
}

/** `list`, `which`, `what`, then the fields to show, if any. */
export function readAsk(reader: Reader, ask: Term): undefined {
  const { draft } = reader;
  const asked = draft.figures.length > 0 || draft.count || draft.ask !== undefined;
  if (asked && isKind(reader.peek(-2), 'and')) refuse('purpose', `and ${ask.text}`);
  reader.accept('what', 'which');
  if (says(reader.context, 'who', ask.text)) readWho(reader);
  reader.match('all*');
  if (draft.ask === 'list') return;
  draft.ask = isKind(ask, 'what') && reader.is('entity') ? 'which' : (ask.role as Draft['ask']);
}

/** "Who wrote …" asks for the column with the person who did it. */
function readWho(reader: Reader): undefined {
  const { draft, context } = reader;
  // In "orders of people who …", "who" refers to a noun.
  draft.who ||= reader.at === 1;
  const { text } = reader.peek();
  const verb = verbOf(reader.peek());
  if (verb === undefined || verb.doers.length === 0) return;
  const [field, ...others] = fieldsSaying(context.fields, verb.doers);
  if (field === undefined || others.length > 0) refuseDoer(text, context);
  reader.take();
  draft.verb = verb;
  draft.head = { field, plural: false };
}

function refuseDoer(text: string, { fields }: Pick<Context, 'fields'>): never {
  const columns = fields.filter(({ kind }) => kind === 'text');
  return refuse('doer', text, columns);
}

/** `how many`, `number of`: a count of records, of events or of the values of a field. */
export function readCount(reader: Reader, distinct: Term | undefined): undefined {
  const { draft, context } = reader;
  draft.count = true;
  draft.distinct ||= distinct !== undefined;
  const { text, total } = reader.peek();
  // "how many units were sold" asks for their sum.
  if (total && isSold(text.toLowerCase().split(' '), context)) draft.count = false;
  else if (isEvent(reader)) {
    // "How many hires" counts the records that have a hire date.
    const event = reader.choose();
    Object.assign(draft, { event, dated: event, entity: true });
  } else readHead(reader);
}

function isEvent(reader: Reader): boolean {
  const { fields = [], role, values, entity, text } = reader.peek();
  const saysDate = reader.context.lexicon.words.date.some(word => text.toLowerCase().includes(word));
  const isOne = fields.length > 0 && fields.every(field => isDate(field) && !field.system);
  return isOne && (role ?? values ?? entity) === undefined && !saysDate;
}

/** The field that a question begins with is its subject: "how many countries", "which department". */
function readHead(reader: Reader): Acted {
  const term = reader.peek();
  const isName = term.fields !== undefined && (term.role ?? term.entity) === undefined;
  if (!isName || hasKind(term, ['boolean']) || reader.isCondition()) return false;
  refuseDoubt(term);
  reader.draft.head = { field: reader.choose(), plural: isPlural(term.text) };
}

/** `order 1042`: the record with that number, if one field holds the numbers of records. */
export function readNumbered({ draft, context }: Reader, { number, measure, values }: Term): Acted {
  // `order_number` and `number` hold the number of an order; `phone_number` does not.
  const isNumbering = (word: string) => isWord(word, 'numbering');
  const isOwn = (word: string) => isNumbering(word) || context.entity.includes(word);
  const numbering = context.fields.filter(({ words }) => words.some(isNumbering) && words.every(isOwn));
  const [field, ...others] = numbering.filter(({ kind }) => kind === 'number' || kind === 'text');
  if (measure !== undefined || field === undefined || others.length > 0) return false;
  const text = values?.find(match => match.field === field)?.values[0];
  const value = field.kind === 'number' ? number : text;
  if (value === undefined) return false;
  draft.entity = true;
  draft.conditions.push({ filter: { [field.name]: value }, joined: 'and' });
}

/** A word for the records themselves: "orders", "rows". */
export function readRecords(reader: Reader): undefined {
  const { draft, context } = reader;
  const term = reader.peek();
  const counts = draft.figures.length === 0 && isKind(reader.peek(1), 'group');
  if (counts && isFlow(reader, term)) refuse('missing', term.text, numbersOf(context));
  reader.takeRecords();
}

/** "different countries". */
export function readDistinct(reader: Reader): Acted {
  reader.draft.distinct = true;
  return reader.draft.head === undefined ? readHead(reader) : undefined;
}

/** A preposition that does not begin a span. */
export function readLittle(reader: Reader, { text }: Term): Acted {
  if (says(reader.context, 'span', text) && reader.is('period')) return false;
}

/** A field to show, at a place where a question can name one. */
export function readShown(reader: Reader, showing: Term | undefined): Acted {
  const { draft, last } = reader;
  const term = reader.peek();
  if (!showing && !canShow(reader)) return false;
  const isSubject = draft.ask === 'which' && isKind(last, 'which', 'distinct', 'all');
  if (isSubject && !showing && draft.head === undefined) return readHead(reader);
  if (!showing) refuseDoubt(term);
  draft.shown.push({ field: reader.choose(), text: term.text, plural: isPlural(term.text) });
}

/** Such places are after "show", at the beginning, after another field to show, and anywhere in "what is …". */
function canShow(reader: Reader): boolean {
  const { last, draft, at } = reader;
  if (isKind(last, 'list', 'which', 'what', 'all', 'distinct') || at === 0) return true;
  if (draft.shown.length > 0 && isKind(last, 'and', 'comma')) return true;
  const comesFirst = reader.is('numberField') && isKind(reader.peek(1), ...FIGURES);
  return draft.ask === 'what' || draft.howMuch || comesFirst;
}

/** A verb that only says that records exist. "What did Ada buy" asks for the records. */
export function readVerb({ draft }: Reader, term: Term): undefined {
  draft.verb = verbOf(term)!;
  if (draft.ask === 'what' && draft.figures.length === 0) draft.entity = true;
}

/** "Which countries do we ship to" asks for the values of the one column for such places. */
export function readPlaces({ draft }: Reader): Acted {
  const saysHead = (thing: ThingClass) => draft.head?.field.words.some(word => isThing(word, thing)) === true;
  if (draft.entity || !saysHead('place') || saysHead('origin')) return false;
}

/** "Shipments that went to Rome" needs a place, not a person; "sent from" needs a column for the origin. */
export function readMotion(reader: Reader): Acted {
  const isPlace = (word: string) => isThing(word, 'place', 'destination');
  const toPlace = reader.peek(1).values?.some(({ field }) => field.words.some(isPlace)) === true;
  const fromPlace = fieldsSaying(reader.context.fields, THINGS.classes.origin).length > 0;
  if (!reader.draft.entity || !(reader.is('to') ? toPlace : fromPlace)) return false;
}

/**
 * Refuses a verb that does not fit the column: "orders that Alice bought" if Alice is a sales rep, "how many lamps were
 * sold".
 */
export function refuseOtherDoer(
  { verb, conditions, head, count, entity, who }: Draft,
  context: Context,
): undefined {
  const { fields, entity: records } = context;
  const saysAny = ({ words }: Field, thing: ThingClass) => words.some(word => isThing(word, thing));
  if (who && head === undefined && !records.some(each => isThing(each, 'people'))) refuseDoer('who', context);
  const named = conditions.flatMap(({ filter }) => fields.filter(({ name }) => Object.hasOwn(filter, name)));
  const doers = verb?.doers ?? [];
  // A condition belongs to the verb if it is about the person who did it, or about no person.
  const isStranger = (field: Field) =>
    field.kind === 'text' && fieldsSaying([field], doers).length === 0 && !saysAny(field, 'thing');
  const stranger = [...named, ...(head ? [head.field] : [])].find(isStranger);
  if (doers.length > 0 && stranger !== undefined) refuseDoer(stranger.name, context);
  const sold = verb?.trade === true || named.some(field => saysAny(field, 'product'));
  const pieces = piecesOf(context);
  if (count && !entity && head === undefined && sold && pieces.length > 0) refuse('pieces', '', pieces);
}
