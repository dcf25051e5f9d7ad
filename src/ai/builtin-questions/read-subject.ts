import { chosen, DATES, hasKind } from './choose.js';
import { isField, isRole } from './cursor.js';
import type { Draft } from './draft.js';
import type { Field } from './fields.js';
import type { Mark } from './marks.js';
import { isSold } from './named-fields.js';
import { readWho } from './read-verbs.js';
import { FIGURES, isFlow, isName, isPlural, isRecords, type Reading } from './reading.js';
import { refuseFields, refuseMissing, refusePurpose } from './refusal.js';

/** list, which, what: then the fields to show, if any. */
export function readAsk(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  const second =
    isRole(cursor.last, 'and') && (draft.figures.length > 0 || draft.count || draft.ask !== undefined);
  const ask = cursor.accept('list', 'which', 'what');
  if (ask === undefined) return undefined;
  if (second) refusePurpose(`and ${ask.text}`);
  cursor.accept('what', 'which');
  readWho(reading, ask);
  while (cursor.is('all')) cursor.take();
  if (draft.ask === 'list') return true;
  draft.ask = isRole(ask, 'what') && cursor.peek().entity ? 'which' : (ask.role as Draft['ask']);
  return true;
}

/** how many, how much, are there any. */
export function readCount(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  const mark = cursor.accept('exists', 'howMuch', 'count');
  if (mark === undefined) return undefined;
  if (isRole(mark, 'howMuch')) {
    draft.howMuch = true;
    return true;
  }
  draft.count = true;
  if (isRole(mark, 'exists')) return true;
  while (cursor.is('all')) cursor.take();
  if (cursor.accept('distinct')) draft.distinct = true;
  // "how many units were sold" asks for their sum.
  if (cursor.peek().total && isSold(cursor.peek().text.toLowerCase().split(' '))) {
    draft.count = false;
    return true;
  }
  cursor.attempt(() => readEvent(reading) ?? readHead(reading));
  return true;
}

/** "How many hires": the records whose date says that they have been hired. */
function readEvent({ cursor, draft, conditions, ground }: Reading): true | undefined {
  const mark = cursor.peek();
  const named = mark.fields ?? [];
  const isEvent = named.length > 0 && named.every(({ kind, system }) => DATES.includes(kind) && !system);
  if (!isEvent || mark.role !== undefined || mark.values || mark.entity || SAYS_DATE.test(mark.text))
    return undefined;
  cursor.take();
  draft.event = chosen(mark, DATES, ground);
  conditions.dated = draft.event;
  draft.entity = true;
  return true;
}

const SAYS_DATE = /date|time|day|jour|heure|moment/i;

/** The field that a question begins with is its subject: "how many countries", "which department". */
function readHead(reading: Reading): true | undefined {
  const { cursor, draft, ground } = reading;
  const mark = cursor.peek();
  if (!isField(mark) || mark.role !== undefined || mark.entity || hasKind(mark, ['boolean']))
    return undefined;
  if (reading.isCondition()) return undefined;
  refuseDoubt(mark);
  cursor.take();
  draft.head = { field: chosen(mark, undefined, ground), plural: isPlural(mark.text) };
  return true;
}

/** A word that is a field and a value of another is neither for sure. */
function refuseDoubt({ text, fields = [], values = [] }: Mark): void {
  if (values.length > 0) refuseFields(text, [...fields, ...values.map(({ field }) => field)]);
}

/** `show 10 orders`. */
export function readLimit({ cursor, draft }: Reading): true | undefined {
  const [first, second] = [cursor.peek(), cursor.peek(1)];
  const begins = draft.ask !== undefined || cursor.at === 0;
  if (first.number === undefined || !isRecords(second) || !begins) return undefined;
  cursor.at += 2;
  draft.entity = true;
  draft.limit = first.number;
  return true;
}

/** `order 1042`: the one of that number, where one field is for numbering. */
export function readNumbered({ cursor, draft, ground }: Reading): true | undefined {
  const [first, second] = [cursor.peek(), cursor.peek(1)];
  if (!first.entity || second.number === undefined || second.measure) return undefined;
  const [field, ...others] = ground.fields.filter(each => numbers(each, ground.entity));
  if (field === undefined || others.length > 0) return undefined;
  const text = second.values?.find(match => match.field === field)?.values[0];
  const value = field.kind === 'number' ? second.number : text;
  if (value === undefined) return undefined;
  cursor.at += 2;
  draft.entity = true;
  draft.conditions.push({ filter: { [field.name]: value }, joined: 'and' });
  return true;
}

const NUMBERING = ['number', 'numero', 'no', 'id', 'code', 'reference', 'ref', 'key'];

/** `order_number` and `number` number orders; `phone_number` does not. */
function numbers({ words, kind }: Field, entity: readonly string[]): boolean {
  if (kind !== 'number' && kind !== 'text') return false;
  const isNumbering = (word: string) => NUMBERING.includes(word);
  return words.some(isNumbering) && words.every(word => isNumbering(word) || entity.includes(word));
}

/** The records themselves: "orders", "rows"; and "different countries". */
export function readRecords(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  if (isRecords(cursor.peek())) {
    const counts = draft.figures.length === 0 && isRole(cursor.peek(1), 'group');
    if (counts && isFlow(reading, cursor.peek())) refuseMissing(cursor.peek().text, reading.numbers);
    reading.takeRecords();
    return true;
  }
  if (!cursor.accept('distinct')) return undefined;
  draft.distinct = true;
  return draft.head === undefined ? readHead(reading) : true;
}

/** A field that is to be shown, where a question can name one. */
export function readShown(reading: Reading): true | undefined {
  const { cursor, draft, ground } = reading;
  const showing = cursor.accept('showing') !== undefined;
  const mark = cursor.peek();
  if (!isName(mark) || !(showing || canShow(reading, mark))) return undefined;
  const isSubject = draft.ask === 'which' && isRole(cursor.last, 'which', 'distinct', 'all');
  if (isSubject && draft.head === undefined) return readHead(reading);
  if (!showing) refuseDoubt(mark);
  cursor.take();
  draft.shown.push({ field: chosen(mark, undefined, ground), text: mark.text, plural: isPlural(mark.text) });
  return true;
}

/** After "show" or at the beginning, after another one, or anywhere in "what is …". */
function canShow({ cursor, draft }: Reading, mark: Mark): boolean {
  const { last } = cursor;
  if (isRole(last, 'list', 'which', 'what', 'all', 'distinct') || cursor.at === 0) return true;
  if (draft.shown.length > 0 && (isRole(last, 'and') || last.comma === true)) return true;
  const comesFirst = hasKind(mark, ['number']) && isRole(cursor.peek(1), ...FIGURES);
  return draft.ask === 'what' || draft.howMuch || comesFirst;
}
