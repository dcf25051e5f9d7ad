import type { Context } from '../context.js';
import { costOf, type Field } from '../fields/fields.js';
import { best, fieldsNamed, isEntity, isSum } from '../fields/names.js';
import type { ValueMatch } from '../fields/values.js';
import { PHRASES, type Role, says, valueIn } from '../lexicon/lexicon.js';
import { isYear, type Period, type Unit } from '../plans/days.js';
import { periodAt } from './dates.js';
import { type Measure, numberAt } from './numbers.js';
import { key, type Verb, verbOf } from './things.js';
import { fold, type Token } from './tokenize.js';

/**
 * A piece of a question with every meaning that it can have. The reader decides which one applies, from its place in
 * the question.
 */
export interface Term {
  /** The text as it was written. */
  readonly text: string;
  readonly role?: Role;
  /** Fields that its words name equally well. */
  readonly fields?: readonly Field[];
  /** The text begins with "total", so it may ask for the sum. */
  readonly total?: boolean;
  /** The words mean the opposite of a boolean field: `unpaid`. */
  readonly contrary?: true;
  readonly values?: readonly ValueMatch[];
  readonly number?: number;
  readonly measure?: Measure;
  readonly period?: Period;
  /** A year of four digits, which can also be a number. */
  readonly year?: true;
  /** What the records are called. */
  readonly entity?: true;
  readonly quoted?: true;
  /** A unit of the calendar, alone (`day`, `month`) or in a word such as `monthly`. */
  readonly unit?: Unit | 'weekday';
  readonly verb?: Verb;
  /** An ordinal number: `second`, `3rd`. */
  readonly ordinal?: number;
  readonly comma?: true;
  /** True if no filler word comes before it: "highest priority incidents", not "highest priority of incidents". */
  readonly direct?: boolean;
}

type Meaning = Omit<Term, 'text'>;

/** A meaning of a piece, and the number of its tokens. */
type Candidate = readonly [meaning: Meaning, length: number];

const MAX_RUN = 8;

/** Splits a question into terms: at each place, the longest piece that has a meaning, with all its meanings. */
export function termsOf(tokens: readonly Token[], context: Context): Term[] {
  const terms: Term[] = [];
  for (let at = 0; at < tokens.length; ) {
    const [meaning, length] = longest(tokens, at, context);
    const run = tokens.slice(at, at + length);
    terms.push({ text: run.map(({ text }) => text).join(' '), ...meaning });
    at += length;
  }
  return terms;
}

function longest(tokens: readonly Token[], at: number, context: Context): Candidate {
  const { quoted, text, word } = tokens[at]!;
  if (quoted) return [{ quoted: true, ...some('values', context.values.quoted(text)) }, 1];
  if (word === ',') return [{ comma: true }, 1];
  const candidates = [runs, phrases, single].flatMap(find => find(tokens, at, context));
  const most = Math.max(1, ...candidates.map(([, length]) => length));
  // A piece can have several meanings, for example as a field and as a value.
  const meanings = candidates.flatMap(([meaning, length]) => (length === most ? [meaning] : []));
  const all: Meaning = Object.assign({}, ...meanings);
  return [most === 1 ? narrowed(all, tokens[at]!, at) : all, most];
}

/** Roles that a word keeps even if it is the whole name of a field. */
const KEPT = 'sum avg min max in and or not from to with without group'.split(' ');
const LITTLE = 'filler in and or from to without'.split(' ');

/**
 * A word with a role is also a field only if it is the whole name of the field, and a value only if it is written like
 * the value.
 */
function narrowed(meaning: Meaning, { text, word }: Token, at: number): Meaning {
  if (meaning.role === undefined) return meaning;
  const { fields, values, role, ...rest } = meaning;
  const whole = fields?.filter(field => field.words.length === 1 && field.words[0] === key([word])) ?? [];
  const written = values?.filter(match => match.values.includes(text) && text !== fold(text)) ?? [];
  const little = LITTLE.includes(role);
  if (written.length > 0 && little && at > 0) return { ...rest, values: written };
  if (whole.length > 0 && !KEPT.includes(role)) return { ...rest, fields: whole };
  return { ...rest, role, ...some('fields', whole), ...some('values', little ? [] : (values ?? [])) };
}

function some<Name extends string, Item>(name: Name, items: readonly Item[]) {
  return items.length === 0 ? {} : ({ [name]: items } as { [Key in Name]: readonly Item[] });
}

/** Fields and values that the words from this position on name. */
function runs(tokens: readonly Token[], at: number, context: Context): Candidate[] {
  const found: Candidate[] = [];
  for (let length = Math.min(MAX_RUN, tokens.length - at); length > 0; length -= 1) {
    const run = tokens.slice(at, at + length);
    if (run.some(({ quoted, word }) => quoted || word === ',')) continue;
    const words = run.map(({ word }) => word);
    const fields = namedAt(words, tokens[at + 1], context);
    // "per month" asks for groups, even if a value has the same text.
    const isGroup = length === 2 && says(context, 'perUnit', words[0]!) && unitOf(words[1]!, context);
    const values = isGroup ? [] : context.values.named(words);
    if (fields.length > 0) found.push([{ fields, ...(isSum(words, context) && { total: true }) }, length]);
    if (values.length > 0) found.push([{ values }, length]);
  }
  return found;
}

/** "Cost less than 10" is about the price if no field is a cost. */
function namedAt(words: readonly string[], next: Token | undefined, context: Context): Field[] {
  const fields = fieldsNamed(words, context);
  const isVerb = fields.length === 0 && words.length === 1 && says(context, 'costs', words[0]!);
  const compares = isVerb && says(context, 'comparesPrice', next?.word ?? '');
  return compares ? fieldsNamed(['price'], context) : fields;
}

/** The longest phrase with a role. "or over 10" begins a condition; the end of "10 or over" is a bound. */
function phrases(tokens: readonly Token[], at: number, context: Context): Candidate[] {
  const known = PHRASES[context.language].get(tokens[at]!.word) ?? [];
  const found = known.find(({ role, words }) => {
    const after = tokens[at + words.length];
    const isBound = after?.number !== undefined || says(context, 'beginsBound', after?.word ?? '');
    if (isBound && (role === 'orMore' || role === 'orLess')) return false;
    return words.every((word, index) => tokens[at + index]?.word === word);
  });
  return found === undefined ? [] : [[{ role: found.role }, found.words.length]];
}

/** The meanings of a single word, and numbers. */
function single(tokens: readonly Token[], at: number, context: Context): Candidate[] {
  const { word } = tokens[at]!;
  const number = numberAt(tokens, at, context.lexicon);
  const { length = 1, ...counted } = number ?? {};
  const verb = verbOf(word, context.entity);
  const ordinal = valueIn<number>(context.lexicon.ordinals, word);
  const unit = number === undefined ? unitOf(word, context) : undefined;
  const contraries = contrariesNamed(word, context);
  const found = periodAt(tokens, at, context);
  return [
    [found ? { period: found.period } : {}, found?.length ?? 1],
    [isEntity(key([word]), context.entity) ? { entity: true } : {}, 1],
    [contraries.length > 0 ? { fields: contraries, contrary: true } : {}, 1],
    [{ ...(verb && { verb }), ...(ordinal && { ordinal }), ...(unit && { unit }) }, 1],
    [{ ...counted, ...(length === 1 && isYear(number?.number) && { year: true }) }, length],
  ];
}

/** `unpaid`, `inactive`: the opposite of a boolean field. */
function contrariesNamed(word: string, { fields, entity }: Context): Field[] {
  const flags = fields.filter(({ kind }) => kind === 'boolean');
  const stems = [/^un(.{3,})$/, /^in(.{3,})$/, /^im(p.{3,})$/].flatMap(stem => stem.exec(word)?.[1] ?? []);
  return stems.flatMap(stem => best(flags, field => costOf([key([stem])], field, entity)));
}

function unitOf(word: string, { lexicon: { calendar } }: Context): Term['unit'] {
  const tables: Readonly<Record<string, string>>[] = [calendar.unit, calendar.units, calendar.periodic];
  return tables.map(table => valueIn(table, word)).find(unit => unit !== undefined) as Term['unit'];
}
