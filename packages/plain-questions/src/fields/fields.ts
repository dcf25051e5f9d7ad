import { THINGS } from '../lexicon/lexicon.js';
import type { Row, Schema } from '../plan.js';
import { isWord, key, sameThing, synonyms } from '../words/things.js';

/** Kinds of fields. The kind decides what can be asked about a field. */
export type Kind = 'text' | 'number' | 'boolean' | 'day' | 'instant' | 'list' | 'other';

export const DATES: readonly Kind[] = ['day', 'instant'];

/** A column, a flexible field or a system field. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /**
   * The words of its name, in lower case, without accents and singular: `shippingCity` and `shipping_city` are
   * [`shipping`, `city`].
   */
  readonly words: readonly string[];
  /** `created_at` and `updated_at`, which every record has. */
  readonly system: boolean;
}

const SYSTEM = ['created_at', 'updated_at'];

/** Every field that a question may be about: columns, flexible fields as the samples show them, system fields. */
export function fieldsOf({ columns, flexibleFields, samples }: Schema): Field[] {
  const own = columns.filter(({ name }) => !SYSTEM.includes(name));
  const kinds: readonly (readonly [name: string, kind: Kind])[] = [
    ...own.map(({ name, type }) => [name, THINGS.kinds[type] as Kind] as const),
    ...flexibleFields.map(name => [name, kindIn(samples, name)] as const),
    ...SYSTEM.map(name => [name, 'instant'] as const),
  ];
  return kinds.map(([name, kind]) => ({ name, kind, words: wordsOf(name), system: SYSTEM.includes(name) }));
}

/**
 * The kind of a flexible field according to the samples. If the samples have different kinds, nothing may be computed
 * from the field.
 */
function kindIn(samples: readonly Row[], name: string): Kind {
  const values = samples.map(sample => (Object.hasOwn(sample, name) ? sample[name] : undefined));
  const kinds = new Set(values.filter(value => value !== undefined && value !== null).map(kindOfValue));
  return kinds.size === 1 ? [...kinds][0]! : 'other';
}

function kindOfValue(value: unknown): Kind {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean';
  if (Array.isArray(value)) return value.every(item => typeof item === 'string') ? 'list' : 'other';
  if (typeof value !== 'string') return 'other';
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'day';
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? 'instant' : 'text';
}

/** The words of a name in snake_case, kebab-case or camelCase. */
export function wordsOf(name: string): string[] {
  const parts = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').split(/[^\p{L}\p{N}]+/u);
  return parts.filter(part => part !== '').map(part => key([part]));
}

/** The cost of naming a field by these words. Lower is better; undefined if they do not name it. */
export function costOf(words: Words, field: Field, entity: Words): number | undefined {
  const exact = uncovered(words, field.words, (a, b) => a === b);
  const loose = exact ?? uncovered(words, field.words, means) ?? uncoveredAsOne(words, field.words);
  if (loose === undefined) return undefined;
  const rest = loose.filter(word => !isWord(word, 'neutral') && !entity.includes(word));
  const synonym = exact === undefined ? 10 : 0;
  if (rest.length === 0) return synonym + (loose.length === 0 ? 0 : 1);
  // `discount_amount` is not the amount; but if `delivery_city` is the only city, it is the city.
  const isHead = !loose.includes(field.words.at(-1)!);
  return field.kind !== 'number' && field.kind !== 'boolean' && isHead ? synonym + 2 : undefined;
}

/** In French, a department is a "service". A column named `service` seldom is one. */
function means(said: string, name: string): boolean {
  return said === name || (name !== 'service' && sameThing(said, name));
}

/**
 * The words of a name that have no equivalent among the given words; undefined if one of the given words has no
 * equivalent in the name.
 */
type Words = readonly string[];

function uncovered(words: Words, name: Words, same: typeof means): string[] | undefined {
  const left = [...name];
  for (const word of words) {
    // Compares from the end, because in English the noun comes last: `revenue` means the amount of `total_amount`.
    const at = left.findLastIndex(each => same(word, each));
    if (at < 0) return undefined;
    left.splice(at, 1);
  }
  return left;
}

/**
 * One word of the name may match several given words, or the reverse: `prénom` for `first_name`, "chiffre d'affaires"
 * for `total_revenue`.
 */
function uncoveredAsOne(words: readonly string[], name: readonly string[]): string[] | undefined {
  const whole = words.join(' ');
  if (synonyms(whole).length === 0) return undefined;
  for (let length = Math.min(name.length, 4); length > 0; length -= 1) {
    for (let start = name.length - length; start >= 0; start -= 1) {
      if (means(whole, name.slice(start, start + length).join(' '))) return name.toSpliced(start, length);
    }
  }
  return undefined;
}
