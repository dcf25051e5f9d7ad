import { isJoint, key, sameThing } from './concepts.js';
import { costOf, type Field, onlyNeutral } from './fields.js';
import type { Ground } from './ground.js';
import { fold } from './tokenize.js';

/** Fields that these words name equally well. */
export function fieldsNamed(words: readonly string[], { fields, entity }: Ground): Field[] {
  if (isJoint(words[0]!) || isJoint(words.at(-1)!)) return [];
  const keys = words.filter(word => !isJoint(word)).map(word => key([word]));
  const last = keys.at(-1)!;
  const joined = keys.length < words.length;
  if (joined && (COUNTING.test(words[0]!) || isEntity(last, entity))) return [];
  const whole = fields.filter(
    field => field.words.length === 1 && keys.length === 1 && field.words[0] === keys[0],
  );
  const saysNothing = onlyNeutral(keys) && keys.length === 1 && !TELLING.test(last);
  if (saysNothing || keys.every(each => isEntity(each, entity))) return whole;
  const found = best(
    fields,
    field => costOf(keys, field, entity) ?? costOf(withoutTail(keys), field, entity),
  );
  return withOtherPrices(found, keys, fields);
}

/** A price or cost may be of one piece or of all: where there are both, "price" alone is not `total_price`. */
function withOtherPrices(
  found: readonly Field[],
  keys: readonly string[],
  fields: readonly Field[],
): Field[] {
  const thing = PRICES.find(price => keys.some(each => sameThing(each, price)));
  const isTotal = found.some(({ kind, words }) => kind === 'number' && words.includes('total'));
  if (thing === undefined || keys.includes('total') || !isTotal) return [...found];
  return fields.filter(({ kind, words }) => kind === 'number' && words.some(word => sameThing(word, thing)));
}

const PRICES = ['price', 'cost'];

/** "number of orders" is no `order_number`. */
const COUNTING = /^(?:number|nombre|total|sum|somme|count)$/;
/** Words on how a thing is kept that are asked for by themselves: "the date", "their names". */
const TELLING = /^(?:date|type|id|name|number|code|nom|numero)$/;

/** "resolution time" for `resolution_hours`, "temps de résolution" in French, "status field" for `status`. */
function withoutTail(keys: readonly string[]): readonly string[] {
  const [first, last] = [keys[0] ?? '', keys.at(-1) ?? ''];
  if (keys.length > 1 && ['time', 'date', 'column', 'field', 'value', 'name'].includes(last))
    return keys.slice(0, -1);
  if (keys.length > 1 && ['temp', 'duree', 'delai', 'date', 'colonne', 'champ'].includes(first))
    return keys.slice(1);
  return NOTHING;
}

/** Fits no field. */
const NOTHING: readonly string[] = ['\0'];

/** The fields of the least cost. */
export function best(fields: readonly Field[], cost: (field: Field) => number | undefined): Field[] {
  const fitting = fields
    .map(field => ({ field, cost: cost(field) }))
    .filter((each): each is { field: Field; cost: number } => each.cost !== undefined);
  // A clock of the system is meant only where no field of the collection is.
  const own = fitting.some(({ field }) => !field.system)
    ? fitting.filter(({ field }) => !field.system)
    : fitting;
  const least = Math.min(...own.map(each => each.cost));
  return own.filter(each => each.cost === least).map(({ field }) => field);
}

/** True for what the records are called: the last word of the collection's name, or people where they are people. */
export function isEntity(word: string, entity: readonly string[]): boolean {
  // "The amount" of sales is none of them.
  const isCalled = (name: string) => word === name || (sameThing(word, name) && !sameThing(word, 'amount'));
  return entity.some(isCalled) || (sameThing(word, 'person') && entity.some(isSomebody));
}

/** Collections whose records are people. */
const SOMEBODY = [
  'employee',
  'customer',
  'person',
  'user',
  'member',
  'contact',
  'student',
  'patient',
  'candidate',
].map(name => key([name]));

function isSomebody(name: string): boolean {
  return SOMEBODY.some(each => sameThing(each, name));
}

/** Flows, which are only ever added up. */
const FLOWS = ['revenue', 'turnover', 'sale', 'chiffre affaire', 'payroll', 'masse salariale', 'recette'];
const TOTAL = /^(?:total|totale|totaux|somme|sum)$/;

/** "total amount", "montant total", "revenue": words that ask for a sum. */
export function isSum(words: readonly string[]): boolean {
  if (FLOWS.includes(key(words))) return true;
  return words.length > 1 && (TOTAL.test(fold(words[0]!)) || TOTAL.test(fold(words.at(-1)!)));
}
