import { THINGS } from '../lexicon/lexicon.js';
import { fold } from './tokenize.js';

/** Words that only join others: `date of birth`, `chiffre d'affaires`. */
export const isJoiningWord = (word: string): boolean => THINGS.joiningWords.includes(word);

/**
 * Words in the form in which they are compared: lower case, without accents, singular, without joining words, separated
 * by one space.
 */
export function key(words: readonly string[]): string {
  const folded = words.map(fold);
  const telling = folded.filter(word => !isJoiningWord(word));
  return (telling.length === 0 ? folded : telling).map(singular).join(' ');
}

const IRREGULAR: ReadonlyMap<string, string> = new Map(Object.entries(THINGS.irregular));
/** The endings of plurals. The first one that fits is used. */
const PLURALS = THINGS.plurals.map(([plural, one]) => ({ plural: new RegExp(plural!), singular: one! }));

/**
 * The singular of a word in lower case without accents. Good enough to compare two words that were both converted by
 * it.
 */
function singular(word: string): string {
  const one = IRREGULAR.get(word) ?? withoutPlural(word);
  // Joins French participles and nouns, so that `embauchées`, `embauchés` and `embauche` are equal.
  const masculine = one.length > 3 && one.endsWith('ee') ? one.slice(0, -1) : one;
  return masculine.endsWith('che') ? masculine.slice(0, -1) : masculine;
}

function withoutPlural(word: string): string {
  const rule = word.length < 4 ? undefined : PLURALS.find(({ plural }) => plural.test(word));
  return rule === undefined ? word : word.replace(rule.plural, rule.singular);
}

/** Handles "which department" and "which departments", in both languages. */
export const isPlural = (text: string) => /[sx]$/i.test(text) && !/(?:ss|us|is)$/i.test(text);

/** Each name with all its synonyms. */
const SAME = new Map<string, Set<string>>();
for (const names of THINGS.same) {
  const keys = names.map(name => key(name.split(/[\s']+/)));
  for (const name of keys) SAME.set(name, new Set([...(SAME.get(name) ?? []), ...keys]));
}

/** True if the two words are equal or synonyms. */
export const sameThing = (one: string, other: string) => one === other || SAME.get(one)?.has(other) === true;

/** All synonyms of a word. */
export const synonyms = (name: string) => [...(SAME.get(name) ?? [])].filter(other => other !== name);

export type ThingClass = keyof typeof THINGS.classes;

export const isOneOf = (word: string, ...names: readonly string[]): boolean =>
  names.some(name => sameThing(key([name]), word));

const CLASSES = Object.entries(THINGS.classes).map(([thing, names]) => [
  thing,
  names.map(name => key([name])),
]);
const KEYS: Readonly<Record<ThingClass, readonly string[]>> = Object.fromEntries(CLASSES);

/** True if a word of a column's name means one of these things: `isThing('qty', 'pieces')`. */
export function isThing(word: string, ...classes: readonly ThingClass[]): boolean {
  return classes.some(thing => KEYS[thing].some(name => sameThing(name, word)));
}

/** True if the word itself is one of them. */
export const isWord = (word: string, thing: ThingClass): boolean => KEYS[thing].includes(word);

/**
 * A verb that only says that a record exists. `doers`: names of columns that can hold the person who did it; a person
 * in another column did something else. `trade`: something is handed over, so "how many" may ask for pieces. `motion`:
 * records are moved to a place, which the question must name.
 */
export type Verb = (typeof THINGS.verbs)[number];

/** What a word means for records with that name: "orders sold in May" are orders. */
export function verbOf(word: string, entity: readonly string[]): Verb | undefined {
  const isOf = (records: readonly string[]) =>
    entity.some(name => records.some(each => key([each]) === name));
  return THINGS.verbs.find(({ records, words }) => words.includes(word) && isOf(records));
}
