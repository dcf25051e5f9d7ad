import { key, sameThing } from './concepts.js';
import type { Field, Kind } from './fields.js';
import type { Ground } from './ground.js';
import type { Mark, Measure } from './marks.js';
import { refuseFields, refuseKind, refuseMissing, refuseUnit } from './refusal.js';

export const DATES: readonly Kind[] = ['day', 'instant'];

/** The one field that a mark names. Refuses where it names several, or one of another kind. */
export function chosen(mark: Mark, kinds: readonly Kind[] | undefined, ground: Ground): Field {
  const fields = mark.fields ?? [];
  const fitting = kinds === undefined ? fields : fields.filter(({ kind }) => kinds.includes(kind));
  if (fitting.length > 1) refuseFields(mark.text, fitting);
  return fitting[0] ?? refuseKind(mark.text, fields[0]!, ground.fields);
}

export function hasKind(mark: Mark, kinds: readonly Kind[]): boolean {
  return mark.fields?.some(({ kind }) => kinds.includes(kind)) === true;
}

/**
 * The date that "last month" is about when no date is named: the only one, or the one that is named after the records
 * (`order_date` of orders). Where the collection has none, when the record was created.
 */
export function mainDate(text: string, { fields, entity }: Ground): Field {
  const dates = fields.filter(({ kind, system }) => DATES.includes(kind) && !system);
  // "the oldest member" has the highest age, not the first date.
  const ages = /^oldest$/i.test(text) ? fields.filter(({ words }) => words.includes('age')) : [];
  if (ages.length > 0) refuseFields(text, [...ages, ...dates]);
  if (dates.length === 1) return dates[0]!;
  if (dates.length === 0) return fields.find(({ name }) => name === 'created_at')!;
  const own = dates.filter(({ words }) =>
    words.every(
      word => entity.includes(word) || ['date', 'at', 'on', 'day', 'time', 'de', 'd', 'le'].includes(word),
    ),
  );
  return own.length === 1 ? own[0]! : refuseFields(text, dates);
}

const SIZES = ['amount'];
/** Words that say which number makes the largest. */
const SIZED = [
  { said: /expens|cost|pric|cheap|cher/i, things: ['price', 'cost', 'amount'] },
  { said: /paid|earning|pay[eé]/i, things: ['salary'] },
  { said: /heav|light/i, things: ['weight'] },
];
const TIMES = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];
const MONEY = ['amount', 'price', 'cost', 'salary', 'budget', 'discount', 'tax'];

/** The number that "over 100" is about when none is named: the only one, or the only one in that unit. */
export function mainNumber(text: string, measure: Measure | undefined, { fields }: Ground): Field {
  const numbers = fields.filter(({ kind }) => kind === 'number');
  const inUnit =
    measure === undefined
      ? []
      : numbers.filter(
          field => saysUnit(field, measure) || (measure.money && isAbout(field, MONEY) && !saysOther(field)),
        );
  const candidates = inUnit.length > 0 ? inUnit : numbers;
  // "more than 40 years" may be an age that no column holds.
  if (candidates.length === 0 || (measure !== undefined && TIMES.includes(measure.names[0]!)))
    refuseMissing(text, numbers);
  return candidates.length === 1 ? candidates[0]! : refuseFields(text, candidates);
}

/** The number that "largest" is about: the amount, else the only number. */
export function mainSize(text: string, ground: Ground): Field {
  const priced = SIZED.find(({ said }) => said.test(text))?.things ?? SIZES;
  const amounts = ground.fields.filter(
    field => field.kind === 'number' && isAbout(field, priced) && !saysOther(field),
  );
  if (amounts.length === 0 && priced !== SIZES)
    refuseMissing(
      text,
      ground.fields.filter(({ kind }) => kind === 'number'),
    );
  return amounts.length === 1 ? amounts[0]! : mainNumber(text, undefined, ground);
}

function isAbout({ words }: Field, things: readonly string[]): boolean {
  return things.some(thing => words.some(word => sameThing(word, thing)));
}

/** Fields kept in a unit that is no money, such as `discount_percent`. */
function saysOther({ words }: Field): boolean {
  return words.some(word =>
    ['percent', 'pct', 'rate', 'hour', 'minute', 'day', 'kg', 'km', 'count'].includes(word),
  );
}

function saysUnit({ words }: Field, { names }: Measure): boolean {
  return names.some(name => words.includes(key([name])));
}

/** Refuses a number whose unit the field may not be kept in: `$100` of an amount in euros. */
export function checkUnit(field: Field, measure: Measure | undefined, ground: Ground): void {
  if (measure === undefined || saysUnit(field, measure)) return;
  const otherCurrency = ['eur', 'usd', 'gbp', 'chf'].some(unit => field.words.includes(unit));
  const byRecord = ground.fields.some(({ words }) => words.some(word => sameThing(word, 'currency')));
  if (measure.money && isAbout(field, MONEY) && !saysOther(field) && !otherCurrency && !byRecord) return;
  const inYears =
    measure.names[0] === 'year' && isAbout(field, ['age', 'experience', 'seniority', 'anciennete']);
  if (!inYears) refuseUnit(measure.text, field);
}
