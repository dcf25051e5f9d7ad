import { checkUnit, chosen, mainDate, mainNumber, refuseDoubt } from '../fields/choose.js';
import { DATES, type Field } from '../fields/fields.js';
import { fieldsSaying } from '../fields/names.js';
import { says, THINGS } from '../lexicon/lexicon.js';
import type { Filter } from '../plan.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { isOneOf } from '../words/things.js';
import { hasKind, isDate, isKind, type Reader } from './reader.js';
import { numberTest, readValues, timeTest, valueTest } from './tests.js';

function condition({ draft }: Reader, field: Field, test: unknown): Filter {
  draft.lastField = field;
  return { [field.name]: test };
}

/** `amount over 100`, `hired since 2020`, `status is not open`, `active`. */
export function ofField(reader: Reader, before: Term | undefined, term: Term): Filter | undefined {
  const notBefore = before !== undefined;
  // "with a discount above 10", "on trial"
  reader.match('in|with &gt|gte|lt|lte|between|not|values');
  const test = reader.attempt(() => testOf(reader, term, reader.accept('not') !== undefined || notBefore));
  // "paid but not shipped": the condition after a boolean field is not about that field.
  return test ?? flag(reader, term, notBefore);
}

function testOf(reader: Reader, term: Term, not: boolean): Filter | undefined {
  const { context } = reader;
  if (hasKind(term, ['number'])) {
    const found = numberTest(reader, not);
    if (found !== undefined) return compare(reader, chosen(term, context, ['number']), found);
  }
  if (hasKind(term, DATES)) {
    const test = timeTest(reader, not);
    if (test !== undefined) return condition(reader, chosen(term, context, DATES), test);
  }
  const said = reader.accept('empty', 'filled');
  if (said !== undefined) return presence(reader, chosen(term, context), isKind(said, 'empty') === not, true);
  // A flag takes only the words that it needs: "paid but not shipped".
  return reader.attempt(() => partOf(reader, term, not)) ?? reader.attempt(() => equalTo(reader, term, not));
}

type Compared = NonNullable<ReturnType<typeof numberTest>>;

function compare(reader: Reader, field: Field, { test, measure }: Compared): Filter {
  checkUnit(field, measure, reader.context);
  return condition(reader, field, test);
}

/** `name contains "x"`; an element of a list is compared as a whole. */
function partOf(reader: Reader, term: Term, not: boolean): Filter | undefined {
  const { context } = reader;
  const how = reader.accept('contains', 'starts', 'ends');
  if (how === undefined) return undefined;
  const field = chosen(term, context, ['text', 'list']);
  const { text } = reader.take();
  if (text === '') refuse('word', how.text, context.fields);
  if (field.kind === 'list') {
    const known = context.values.quoted(text).find(match => match.field === field)?.values;
    return condition(reader, field, valueTest(known ?? [text], not));
  }
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const pattern = how.role === 'starts' ? `^${escaped}` : how.role === 'ends' ? `${escaped}$` : escaped;
  const test = { $regex: pattern, $options: 'i' };
  return condition(reader, field, not ? { $not: test } : test);
}

/** `status open or pending`, `status = "frozen"`, `active = true`. */
function equalTo(reader: Reader, term: Term, notBefore: boolean): Filter | undefined {
  const { context } = reader;
  const equals = reader.accept('eq') !== undefined;
  const not = reader.accept('not') !== undefined || notBefore;
  const found = readValues(reader, term.fields, not);
  if (found !== undefined) return ofOne(reader, term.text, found.fields, found.test);
  const literal = reader.peek();
  if (term.fields![0]!.kind === 'boolean') {
    const yes = says(context, 'yes', literal.text);
    if (!yes && !says(context, 'no', literal.text)) return undefined;
    reader.take();
    return condition(reader, chosen(term, context, ['boolean']), yes !== not);
  }
  const isLiteral = literal.quoted || (equals && literal.text !== '');
  if (!isLiteral || !hasKind(term, ['text', 'list'])) return undefined;
  const field = chosen(term, context, ['text', 'list']);
  if (!literal.quoted) refuseValue(reader, literal.text, field);
  reader.take();
  return condition(reader, field, valueTest([literal.text], not));
}

function refuseValue({ context }: Reader, text: string, field: Field): never {
  return refuse('value', text, [], field.name, context.values.of(field).slice(0, 8));
}

function ofOne(reader: Reader, text: string, fields: readonly Field[], test: unknown): Filter {
  return fields.length > 1 ? refuse('columns', text, fields) : condition(reader, fields[0]!, test);
}

function flag(reader: Reader, term: Term, not: boolean): Filter | undefined {
  if (!term.fields!.every(({ kind }) => kind === 'boolean')) return undefined;
  refuseDoubt(term);
  return condition(reader, chosen(term, reader.context, ['boolean']), (term.contrary === true) === not);
}

/** `in Paris`, `not shipped`, `open or pending`, `high priority`. */
export function ofValues(reader: Reader, before?: Term, behind?: Term): Filter | undefined {
  const not = (before ?? behind) !== undefined;
  const term = reader.peek();
  if (reader.is('number', 'period', 'sum', 'avg', 'min', 'max')) return undefined;
  const found = readValues(reader, undefined, not);
  if (found === undefined) return undefined;
  const named = reader.peek().fields?.filter(field => found.fields.includes(field)) ?? [];
  const isNamed = named.length > 0;
  const fields = isNamed && !isKind(reader.peek(1), 'gt', 'lt', 'gte', 'lte') ? named : found.fields;
  const unsure = not && reader.last === term;
  if (isNamed) reader.take();
  // "shipped" names a date only if a period follows, which was tried before. "not shipped" may mean the date or a
  // value.
  const all = term.fields ?? [];
  const others = all.filter(field => !fields.includes(field) && (unsure || !isDate(field)));
  reader.draft.possible.push(...all.filter(isDate));
  return ofOne(reader, term.text, [...fields, ...others], found.test);
}

/** The column of the origin or the destination. A collection without such columns has one column for the place. */
export function ofPlace(reader: Reader, side: 'origin' | 'destination'): Filter | undefined {
  const term = reader.peek();
  const { origin, destination } = THINGS.classes;
  const placed = fieldsSaying(reader.context.fields, [...origin, ...destination]);
  const [field, ...others] = fieldsSaying(placed, THINGS.classes[side]);
  const isPlace = term.values!.some(match => placed.includes(match.field));
  if (!isPlace || field === undefined || others.length > 0) return undefined;
  const found = readValues(reader, [field], false);
  return found ? condition(reader, field, found.test) : refuseValue(reader, term.text, field);
}

/** `tagged urgent`: a value of the list of tags. */
export function ofTags(reader: Reader, not: Term | undefined): Filter | undefined {
  const isTag = ({ kind, words }: Field) => kind === 'list' && words.some(word => isOneOf(word, 'tag'));
  const found = readValues(reader, reader.context.fields.filter(isTag), not !== undefined);
  return found && ofOne(reader, reader.last.text, found.fields, found.test);
}

/** `without a phone`, `with an email`, `no owner`. */
export function ofPresence(reader: Reader, term: Term, present: boolean): Filter | undefined {
  const found = present ? undefined : readValues(reader, term.fields, true);
  if (found !== undefined) return ofOne(reader, term.text, found.fields, found.test);
  // "avec le montant le plus élevé" asks for the one that has the most.
  if (reader.is('min', 'max', 'avg', 'sum')) return undefined;
  return presence(reader, chosen(term, reader.context), present, false);
}

function presence(reader: Reader, field: Field, present: boolean, said: boolean): Filter {
  const { kind, name } = field;
  if (kind === 'boolean' && !said) return condition(reader, field, present);
  if (kind === 'number' && !said) refuse('zeroOrNone', name);
  const nothing = kind === 'text' ? [null, ''] : kind === 'list' ? [null, []] : null;
  if (nothing === null) return condition(reader, field, present ? { $ne: null } : null);
  return condition(reader, field, present ? { $nin: nothing } : { $in: nothing });
}

/** `last month`, `before 2024`: a condition on the date named just before, else on the main date. */
export function ofTime(reader: Reader, not: Term | undefined): Filter | undefined {
  const { at, draft, context } = reader;
  const test = timeTest(reader, not !== undefined);
  if (test === undefined) return undefined;
  const read = reader.terms.slice(at, reader.at);
  const text = textOf(read);
  const date = draft.dated ?? mainDate(text, context);
  if (date !== draft.dated) draft.assumed = date;
  // "May" can be the month or a name.
  const values = read.flatMap(term => term.values ?? []);
  if (values.length > 0) refuse('columns', text, [date, ...values.map(({ field }) => field)]);
  return condition(reader, date, test);
}

/** `over 100`, `more than 5 items`, `with 3 items`. */
export function ofNumber(reader: Reader, not?: Term, beside?: Term): Filter | undefined {
  const { at, draft, context, joined } = reader;
  const found = numberTest(reader, not !== undefined);
  if (found === undefined || !(found.explicit || beside)) return undefined;
  const text = textOf(reader.terms.slice(at, reader.at));
  if (reader.is('numberField')) return compare(reader, reader.choose(['number']), found);
  if (!found.explicit || reader.is('records')) return undefined;
  const last = joined && draft.lastField?.kind === 'number' ? draft.lastField : undefined;
  return compare(reader, last ?? mainNumber(text, found.measure, context), found);
}

function textOf(terms: readonly Term[]): string {
  return terms.length === 1 ? terms[0]!.text : `${terms[0]!.text} … ${terms.at(-1)!.text}`;
}
