import { THINGS } from '../lexicon/lexicon.js';
import { fold } from './tokenize.js';

/** Words that only join others: `date of birth`, `chiffre d'affaires`. */
export const isJoint = (word: string): boolean => THINGS.joints.includes(word);

/** A word or words as they are compared: folded, singular, without joints, parted by one space. */
export function key(words: readonly string[]): string {
  const folded = words.map(fold);
  const telling = folded.filter(word => !isJoint(word));
  return (telling.length === 0 ? folded : telling).map(singular).join(' ');
}

const IRREGULAR: ReadonlyMap<string, string> = new Map(Object.entries(THINGS.irregular));
/** The first that fits. */
const PLURALS = THINGS.plurals.map(([plural, one]) => ({ plural: new RegExp(plural!), singular: one! }));

/** The singular of a folded word, near enough for comparing two words that are both passed through it. */
function singular(word: string): string {
  const one = IRREGULAR.get(word) ?? withoutPlural(word);
  // French participles and nouns, so that `embauchées`, `embauchés` and `embauche` are one.
  const masculine = one.length > 3 && one.endsWith('ee') ? one.slice(0, -1) : one;
  return masculine.endsWith('che') ? masculine.slice(0, -1) : masculine;
}

function withoutPlural(word: string): string {
  const rule = word.length < 4 ? undefined : PLURALS.find(({ plural }) => plural.test(word));
  return rule === undefined ? word : word.replace(rule.plural, rule.singular);
}

/** Near enough for "which department" and "which departments", in both languages. */
export const isPlural = (text: string) => /[sx]$/i.test(text) && !/(?:ss|us|is)$/i.test(text);

/** Each name with all names of the same thing. */
const SAME = new Map<string, Set<string>>();
for (const names of THINGS.same) {
  const keys = names.map(name => key(name.split(/[\s']+/)));
  for (const name of keys) SAME.set(name, new Set([...(SAME.get(name) ?? []), ...keys]));
}

/** True for two keys that mean the same. */
export const sameThing = (one: string, other: string) => one === other || SAME.get(one)?.has(other) === true;

/** Every other key that means the same. */
export const synonyms = (name: string) => [...(SAME.get(name) ?? [])].filter(other => other !== name);

export type ThingClass = keyof typeof THINGS.classes;

export const isOneOf = (word: string, ...names: readonly string[]): boolean =>
  names.some(name => sameThing(key([name]), word));

const CLASSES = Object.entries(THINGS.classes).map(([thing, names]) => [
  thing,
  names.map(name => key([name])),
]);
const KEYS: Readonly<Record<ThingClass, readonly string[]>> = Object.fromEntries(CLASSES);

/** True where a word of a column's name means one of some things: `isThing('qty', 'pieces')`. */
export function isThing(word: string, ...classes: readonly ThingClass[]): boolean {
  return classes.some(thing => KEYS[thing].some(name => sameThing(name, word)));
}

/** True where a word is itself one of them. */
export const isWord = (word: string, thing: ThingClass): boolean => KEYS[thing].includes(word);

/**
 * A verb that only says that a record is there. `doers`: what columns are called that may hold who did it; a person of
 * another column did something else. `trade`: something is handed over, so that "how many" may ask for pieces.
 * `motion`: records are moved to a place, which has to be named.
 */
export type Verb = (typeof THINGS.verbs)[number];

/** What a word says of records that are called so: "orders sold in May" are orders. */
export function verbOf(word: string, entity: readonly string[]): Verb | undefined {
  const isOf = (records: readonly string[]) =>
    entity.some(name => records.some(each => key([each]) === name));
  return THINGS.verbs.find(({ records, words }) => words.includes(word) && isOf(records));
}
