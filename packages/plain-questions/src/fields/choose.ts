import { type Context, numbersOf } from '../context.js';
import { says, THINGS } from '../lexicon/lexicon.js';
import { refuse } from '../refusal.js';
import type { Measure } from '../words/numbers.js';
import type { Term } from '../words/terms.js';
import { isOneOf, isThing, isWord, key, sameThing, type ThingClass } from '../words/things.js';
import { DATES, type Field, type Kind } from './fields.js';

/**
 * The one field that a term names. Refuses the question if the term names several fields, or a field of another kind.
 */
export function chosen(term: Term, context: Context, kinds?: readonly Kind[]): Field {
  const { text, fields = [] } = term;
  const fitting = kinds === undefined ? fields : fields.filter(({ kind }) => kinds.includes(kind));
  if (fitting.length > 1) refuse('columns', text, fitting);
  return fitting[0] ?? refuse('kind', text, context.fields, fields[0]!.name);
}

/** A word that is both a field and a value of another field is ambiguous. */
export function refuseDoubt({ text, fields = [], values = [] }: Term): void {
  if (values.length > 0) refuse('columns', text, [...fields, ...values.map(({ field }) => field)]);
}

/**
 * The date field for a period such as "last month" when the question names none: the only date, or the one that is
 * named after the records (`order_date` of orders). If the collection has no date, the creation time of the record.
 */
export function mainDate(text: string, context: Context): Field {
  const { fields, entity } = context;
  const dates = fields.filter(({ kind, system }) => DATES.includes(kind) && !system);
  // "the oldest member" has the highest age, not the first date.
  const ages = says(context, 'oldest', text) ? fields.filter(({ words }) => words.includes('age')) : [];
  if (ages.length > 0) refuse('columns', text, [...ages, ...dates]);
  if (dates.length === 0) return fields.find(({ name }) => name === 'created_at')!;
  const isOwn = (word: string) => entity.includes(word) || isWord(word, 'dateWord');
  const own = dates.filter(({ words }) => words.every(isOwn));
  const [only, ...others] = dates.length === 1 ? dates : own;
  return only !== undefined && others.length === 0 ? only : refuse('columns', text, dates);
}

/** The number field for "over 100" when the question names none: the only number, or the only one in that unit. */
export function mainNumber(text: string, measure: Measure | undefined, context: Context): Field {
  const numbers = numbersOf(context);
  const fits = (field: Field, said: Measure) => saysUnit(field, said) || (said.money && isMoney(field));
  const inUnit = measure === undefined ? [] : numbers.filter(field => fits(field, measure));
  const candidates = inUnit.length > 0 ? inUnit : numbers;
  // "more than 40 years" may be an age that no column holds.
  if (candidates.length === 0 || (measure !== undefined && THINGS.times.includes(measure.names[0]!)))
    refuse('missing', text, numbers);
  return candidates.length === 1 ? candidates[0]! : refuse('columns', text, candidates);
}

/** The number field for "largest" or "cheapest": the amount or the price, else the only number. */
export function mainSize(text: string, context: Context): Field {
  const size = THINGS.sizes.find(({ words }) => words.some(word => text.toLowerCase().includes(word)));
  const isMeant = (field: Field) =>
    (size?.things ?? ['amount']).some(thing => field.words.some(word => sameThing(word, thing)));
  const meant = numbersOf(context).filter(field => isMeant(field) && !saysOther(field));
  if (meant.length === 0 && size !== undefined) refuse('missing', text, numbersOf(context));
  return meant.length === 1 ? meant[0]! : mainNumber(text, undefined, context);
}

const saysAny = ({ words }: Field, thing: ThingClass) => words.some(word => isThing(word, thing));
const saysOther = ({ words }: Field) => words.some(word => isWord(word, 'otherUnit'));
/** A number that is an amount of money, and has no other unit, unlike `discount_percent`. */
const isMoney = (field: Field) => saysAny(field, 'money') && !saysOther(field);
const saysUnit = ({ words }: Field, { names }: Measure) => names.some(name => words.includes(key([name])));

/** Refuses a number whose unit may differ from the unit of the field: `$100` for an amount in euros. */
export function checkUnit(field: Field, measure: Measure | undefined, { fields }: Context): void {
  if (measure === undefined || saysUnit(field, measure)) return;
  const otherCurrency = field.words.some(word => Object.values(THINGS.money).includes(word));
  const byRecord = fields.some(({ words }) => words.some(word => isOneOf(word, 'currency')));
  if (measure.money && isMoney(field) && !otherCurrency && !byRecord) return;
  const inYears = measure.names[0] === 'year' && saysAny(field, 'years');
  if (!inYears) refuse('unit', measure.text, [], field.name);
}
