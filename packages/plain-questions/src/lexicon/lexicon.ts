import { readFileSync } from 'node:fs';
import type english from '../../lexicon/en.json';
import type all from '../../lexicon/things.json';
import type { Language } from '../plan.js';
import { fold, tokenize } from '../words/tokenize.js';

/** The words of one language. Each file has the same keys as `en.json`. */
export type Lexicon = typeof english;
/** The role of a word or phrase of the language in a question. */
export type Role = keyof Lexicon['roles'];
/** The name of a group of words that a rule uses. */
export type Words = keyof Lexicon['words'];

/** The JSON files are read at run time: they are beside `src` and beside `dist`. */
function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../lexicon/${name}.json`, import.meta.url), 'utf8'));
}

export const LEXICONS = { en: read('en'), fr: read('fr') } as Readonly<Record<Language, Lexicon>>;
/** Words for things, in both languages together. */
export const THINGS = read('things') as typeof all;

/** The phrases by their first word, the longest first. */
export const PHRASES = { en: phrasesOf(LEXICONS.en), fr: phrasesOf(LEXICONS.fr) };

function phrasesOf({ roles }: Lexicon) {
  const found = new Map<string, { readonly words: readonly string[]; readonly role: Role }[]>();
  for (const [role, phrases] of Object.entries(roles)) {
    for (const phrase of phrases) {
      const words = tokenize(phrase).map(({ word }) => word);
      found.set(words[0]!, [...(found.get(words[0]!) ?? []), { words, role: role as Role }]);
    }
  }
  for (const phrases of found.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return found;
}

/** The language of which the question has more words; English if both have the same number. */
export function languageOf(question: string): Language {
  const words = tokenize(question).map(({ word }) => word);
  const known = (language: Language) => words.filter(word => PHRASES[language].has(word)).length;
  return known('fr') > known('en') ? 'fr' : 'en';
}

/** True if the text is one of the words of a group. */
export function says({ lexicon }: { readonly lexicon: Lexicon }, words: Words, text: string): boolean {
  return (lexicon.words[words] as readonly string[]).includes(fold(text));
}

/** The number that a word names, from a table of the lexicon. */
export function valueIn<Value>(table: Readonly<Record<string, Value>>, name: string | undefined) {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
