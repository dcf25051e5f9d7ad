import { isJoint, key, sameThing, synonyms } from './concepts.js';
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
  const isWhole = (field: Field) => field.words.length === 1 && field.words[0] === keys[0];
  const whole = keys.length === 1 ? fields.filter(isWhole) : [];
  const saysNothing = onlyNeutral(keys) && keys.length === 1 && !TELLING.test(last);
  if (saysNothing || keys.every(each => isEntity(each, entity))) return whole;
  return alike(keys, fields, entity);
}

interface Remembered {
  /** Of what the names of the fields consist, with all that means the same. */
  readonly vocabulary: ReadonlySet<string>;
  readonly found: Map<string, readonly Field[]>;
}

/** Of the fields of one question: else each run of its words would be held against each of many columns. */
const REMEMBERED = new WeakMap<readonly Field[], Remembered>();

function alike(keys: readonly string[], fields: readonly Field[], entity: readonly string[]): Field[] {
  const known = REMEMBERED.get(fields) ?? { vocabulary: vocabularyOf(fields), found: new Map() };
  REMEMBERED.set(fields, known);
  const tailless = withoutTail(keys);
  const mayBe = (words: readonly string[]) =>
    words.every(each => known.vocabulary.has(each)) || synonyms(words.join(' ')).length > 0;
  if (!mayBe(keys) && !mayBe(tailless)) return [];
  const text = keys.join(' ');
  const found =
    known.found.get(text) ??
    best(fields, field => costOf(keys, field, entity) ?? costOf(tailless, field, entity));
  known.found.set(text, found);
  return withOtherPrices(found, keys, fields);
}

function vocabularyOf(fields: readonly Field[]): ReadonlySet<string> {
  const words = new Set(fields.flatMap(field => field.words));
  return new Set([...words].flatMap(word => [word, ...synonyms(word)]));
}

/** A price or cost may be of one piece or of all: where there are both, "price" alone is not `total_price`. */
function withOtherPrices(
  found: readonly Field[],
  keys: readonly string[],
  fields: readonly Field[],
): Field[] {
  const thing = PRICES.find(price => keys.some(each => sameThing(each, price)));
  if (thing === undefined || keys.includes('total')) return [...found];
  if (!found.some(({ kind, words }) => kind === 'number' && words.includes('total'))) return [...found];
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

/** True for what people are called. */
export function isSomebody(name: string): boolean {
  return SOMEBODY.some(each => sameThing(each, name));
}

/** Flows, which are only ever added up. */
const FLOWS = ['revenue', 'turnover', 'sale', 'chiffre affaire', 'payroll', 'masse salariale', 'recette'];
const TOTAL = /^(?:total|totale|totaux|somme|sum)$/;

/** "Items sold", "units were sold": pieces, which are only ever added up. */
export function isSold(words: readonly string[]): boolean {
  return words.length > 1 && /^(?:sold|sell|vendue?s)$/.test(words.at(-1)!);
}

/** "total amount", "montant total", "revenue": words that ask for a sum. */
export function isSum(words: readonly string[]): boolean {
  if (FLOWS.includes(key(words))) return true;
  if (isSold(words)) return true;
  return words.length > 1 && (TOTAL.test(fold(words[0]!)) || TOTAL.test(fold(words.at(-1)!)));
}
