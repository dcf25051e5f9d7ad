import type { ColumnTypeName } from '../../columns/index.js';
import { ownValue } from '../../kernel/json.js';
import type { CollectionSight } from '../question-planner.js';
import { key, sameThing, synonyms } from './concepts.js';

/** What can be asked of a field. */
export type Kind = 'text' | 'number' | 'boolean' | 'day' | 'instant' | 'list' | 'other';

/** A column, a flexible field or a system field, and the words of its name. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** `shippingCity` and `shipping_city`: [`shipping`, `city`], folded and singular. */
  readonly words: readonly string[];
  /** `created_at` and `updated_at`, which every record has. */
  readonly system: boolean;
}

const KINDS: Readonly<Record<ColumnTypeName, Kind>> = {
  text: 'text',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  date: 'day',
  datetime: 'instant',
  array: 'list',
  json: 'other',
};

/** Every field that a question may be about: columns, flexible fields as their samples show them, then the clocks. */
export function fieldsOf(sight: CollectionSight): Field[] {
  const columns = sight.columns.filter(({ name }) => !SYSTEM.includes(name));
  const declared = columns.map(({ name, type }) => field(name, KINDS[type]));
  const flexible = sight.flexibleFields.map(name =>
    field(name, kindOf(sight.samples.map(sample => ownValue(sample, name)))),
  );
  return [...declared, ...flexible, ...SYSTEM.map(name => ({ ...field(name, 'instant'), system: true }))];
}

const SYSTEM = ['created_at', 'updated_at'];

function field(name: string, kind: Kind): Field {
  return { name, kind, words: wordsOf(name), system: false };
}

/** The words of a name in snake_case, kebab-case or camelCase. */
export function wordsOf(name: string): string[] {
  const parts = name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').split(/[^\p{L}\p{N}]+/u);
  return parts.filter(part => part !== '').map(part => key([part]));
}

/** Samples that disagree show a field that no figure should be made of. */
function kindOf(samples: readonly unknown[]): Kind {
  const kinds = new Set(samples.filter(value => value !== undefined && value !== null).map(kindOfValue));
  return kinds.size === 1 ? [...kinds][0]! : 'other';
}

function kindOfValue(value: unknown): Kind {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return value.every(item => typeof item === 'string') ? 'list' : 'other';
  if (typeof value !== 'string') return 'other';
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'day';
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? 'instant' : 'text';
}

/** Parts of a name that say how a thing is kept, not which thing it is. */
const NEUTRAL = new Set(
  (
    'at on to by date time datetime type score level id name number no num nb code is has was the of value count full total annual yearly ' +
    'monthly current d de le du eur usd gbp chf euro dollar kg g km m cm hour minute second day week month year min h pct percent'
  )
    .split(' ')
    .map(word => key([word])),
);

/** What was said means a word of a name. A department is "service" in French; a column `service` is seldom one. */
function means(said: string, name: string): boolean {
  return said === name || (name !== 'service' && sameThing(said, name));
}

/** How well words fit a field; lower is better, undefined is not at all. */
export function costOf(
  words: readonly string[],
  field: Field,
  entity: readonly string[],
): number | undefined {
  const exact = uncovered(words, field.words, (a, b) => a === b);
  const loose = exact ?? uncovered(words, field.words, means) ?? uncoveredAsOne(words, field.words);
  if (loose === undefined) return undefined;
  const rest = loose.filter(word => !NEUTRAL.has(word) && !entity.includes(word));
  const synonym = exact === undefined ? 10 : 0;
  if (loose.length === 0) return synonym;
  if (rest.length === 0) return synonym + 1;
  // `discount_amount` is not the amount; but if `delivery_city` is the only city, it is the city.
  const isHead = !loose.includes(field.words.at(-1)!);
  return field.kind !== 'number' && field.kind !== 'boolean' && isHead ? synonym + 2 : undefined;
}

/** The words of a name that no given word stands for; undefined when a given word stands for none. */
function uncovered(
  words: readonly string[],
  name: readonly string[],
  same: (one: string, other: string) => boolean,
): string[] | undefined {
  if (words.length > name.length) return undefined;
  const left = [...name];
  for (const word of words) {
    // From the end, where English keeps the thing itself: `revenue` is the amount of `total_amount`.
    const at = left.findLastIndex(each => same(word, each));
    if (at < 0) return undefined;
    left.splice(at, 1);
  }
  return left;
}

/** Several words for one, or one for several: `prénom` for `first_name`, "chiffre d'affaires" for `total_revenue`. */
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

/** True where the only words a name was found by say how it is kept: "number" is no good name for `order_number`. */
export function onlyNeutral(words: readonly string[]): boolean {
  return words.every(word => NEUTRAL.has(word));
}
