import { readFileSync } from 'node:fs';
import type { Language } from '../plan.js';
import { fold, tokenize } from '../words/tokenize.js';
import type english from './en.json';
import type all from './things.json';

/** The words of one language. Each file has the same keys as `en.json`. */
export type Lexicon = typeof english;
/** What a word of the language itself does in a question. */
export type Role = keyof Lexicon['roles'];
/** A name for some words that a rule asks for. */
export type Words = keyof Lexicon['words'];

/** Read as files, so that they are the same beside the sources and in `dist`. */
function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));
}

export const LEXICONS = { en: read('en'), fr: read('fr') } as Readonly<Record<Language, Lexicon>>;
/** Words for things, of both languages at once. */
export const THINGS = read('things') as typeof all;

/** By first word, the longest phrases first. */
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

/** The language whose own words the question has more of; English where it shows neither. */
export function languageOf(question: string): Language {
  const words = tokenize(question).map(({ word }) => word);
  const known = (language: Language) => words.filter(word => PHRASES[language].has(word)).length;
  return known('fr') > known('en') ? 'fr' : 'en';
}

/** True where a text is one of the words that the language has for something. */
export function says({ lexicon }: { readonly lexicon: Lexicon }, words: Words, text: string): boolean {
  return (lexicon.words[words] as readonly string[]).includes(fold(text));
}

/** A number by name, of a table of the lexicon. */
export function valueIn<Value>(table: Readonly<Record<string, Value>>, name: string | undefined) {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
