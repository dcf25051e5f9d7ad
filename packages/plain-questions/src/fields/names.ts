import type { Context } from '../context.js';
import { says } from '../lexicon/lexicon.js';
import { isJoiningWord, isOneOf, isThing, isWord, key, sameThing, synonyms } from '../words/things.js';
import { costOf, type Field } from './fields.js';

type Named = Pick<Context, 'fields' | 'entity' | 'lexicon'>;

/** Fields that the words name equally well. */
export function fieldsNamed(words: readonly string[], context: Named): Field[] {
  const { fields, entity } = context;
  if (isJoiningWord(words[0]!) || isJoiningWord(words.at(-1)!)) return [];
  const keys = words.filter(word => !isJoiningWord(word)).map(word => key([word]));
  const last = keys.at(-1)!;
  // "number of orders" is not an `order_number`.
  const isCounted = says(context, 'counting', words[0]!) || isEntity(last, entity);
  if (keys.length < words.length && isCounted) return [];
  // A word for the way a thing is stored is not a name of the thing: "number" does not name `order_number`.
  const saysNothing = keys.length === 1 && isWord(last, 'neutral') && !says(context, 'asked', last);
  if (saysNothing || keys.every(each => isEntity(each, entity)))
    return keys.length === 1
      ? fields.filter(field => field.words.length === 1 && field.words[0] === last)
      : [];
  return withOtherPrices(alike(keys, context), keys, fields);
}

/** Caches what runs of words name. Without the cache, each run would be compared with each of many columns. */
const REMEMBERED = new WeakMap<readonly Field[], ReturnType<typeof memoryOf>>();

function alike(keys: readonly string[], context: Named): readonly Field[] {
  const { fields, entity } = context;
  const known = REMEMBERED.get(fields) ?? memoryOf(fields);
  REMEMBERED.set(fields, known);
  const readings = [keys, withoutTail(keys, context)].filter(words => words !== undefined);
  const mayBe = (words: readonly string[]) =>
    words.every(each => known.vocabulary.has(each)) || synonyms(words.join(' ')).length > 0;
  if (!readings.some(mayBe)) return [];
  const text = keys.join(' ');
  const cost = (field: Field) =>
    readings.map(words => costOf(words, field, entity)).find(each => each !== undefined);
  const found = known.found.get(text) ?? best(fields, cost);
  known.found.set(text, found);
  return found;
}

/** The words in the names of the fields, with their synonyms, and the cached results. */
function memoryOf(fields: readonly Field[]) {
  const words = new Set(fields.flatMap(field => field.words));
  const vocabulary = new Set([...words].flatMap(word => [word, ...synonyms(word)]));
  return { vocabulary, found: new Map<string, readonly Field[]>() };
}

/**
 * A price or cost may be per piece or in total. If there are columns for both, "price" alone does not name
 * `total_price`.
 */
function withOtherPrices(
  found: readonly Field[],
  keys: readonly string[],
  fields: readonly Field[],
): Field[] {
  const thing = ['price', 'cost'].find(price => keys.some(each => sameThing(each, price)));
  if (thing === undefined || keys.includes('total')) return [...found];
  if (!found.some(({ kind, words }) => kind === 'number' && words.includes('total'))) return [...found];
  return fields.filter(({ kind, words }) => kind === 'number' && words.some(word => sameThing(word, thing)));
}

/** "resolution time" for `resolution_hours`, "temps de résolution" in French, "status field" for `status`. */
function withoutTail(keys: readonly string[], context: Named): readonly string[] | undefined {
  if (keys.length > 1 && says(context, 'tail', keys.at(-1)!)) return keys.slice(0, -1);
  return keys.length > 1 && says(context, 'lead', keys[0]!) ? keys.slice(1) : undefined;
}

/** The fields with the lowest cost. A system field is used only if no other field matches. */
export function best(fields: readonly Field[], cost: (field: Field) => number | undefined): Field[] {
  const fitting = fields.flatMap(field => {
    const found = cost(field);
    return found === undefined ? [] : [{ field, cost: found + (field.system ? 1_000 : 0) }];
  });
  const least = Math.min(...fitting.map(each => each.cost));
  return fitting.filter(each => each.cost === least).map(({ field }) => field);
}

/**
 * True for what the records are called: the last word of the collection's name, or a word for people if the records are
 * people.
 */
export function isEntity(word: string, entity: readonly string[]): boolean {
  // "the amount" of a collection of sales does not mean the sales themselves.
  const isCalled = (name: string) => word === name || (sameThing(word, name) && !sameThing(word, 'amount'));
  return entity.some(isCalled) || (sameThing(word, 'person') && entity.some(name => isThing(name, 'people')));
}

/** A number of pieces, as in "items sold". Such numbers are only ever added up. */
export function isSold(words: readonly string[], context: Named): boolean {
  return words.length > 1 && says(context, 'sold', words.at(-1)!);
}

/** "total amount", "montant total", "revenue": words that ask for a sum. */
export function isSum(words: readonly string[], context: Named): boolean {
  const isTotal = (word: string) => says(context, 'total', word);
  if (isWord(key(words), 'flow') || isSold(words, context)) return true;
  return words.length > 1 && (isTotal(words[0]!) || isTotal(words.at(-1)!));
}

/** The fields whose names contain one of these things: the doers of a verb, the origin of a shipment. */
export function fieldsSaying(fields: readonly Field[], names: readonly string[]): Field[] {
  return fields.filter(({ kind, words }) => kind === 'text' && words.some(word => isOneOf(word, ...names)));
}
