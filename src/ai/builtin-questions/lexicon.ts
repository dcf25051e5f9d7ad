import { ENGLISH } from './lexicon-english.js';
import { FRENCH } from './lexicon-french.js';
import type { Lexicon, Role } from './role.js';
import { type Language, tokenize } from './tokenize.js';

interface Phrase {
  readonly words: readonly string[];
  readonly role: Role;
}

/** By first word, the longest phrases first. */
export type Phrases = ReadonlyMap<string, readonly Phrase[]>;

export const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: phrasesOf(ENGLISH),
  fr: phrasesOf(FRENCH),
};

function phrasesOf(lexicon: Lexicon): Phrases {
  const found = new Map<string, Phrase[]>();
  for (const [role, list] of Object.entries(lexicon)) {
    for (const text of list.split(/,\s*/)) {
      const words = tokenize(text.trim()).map(({ word }) => word);
      const phrases = found.get(words[0]!) ?? [];
      found.set(
        words[0]!,
        [...phrases, { words, role: role as Role }].sort((a, b) => b.words.length - a.words.length),
      );
    }
  }
  return found;
}

/** The language whose own words the question has more of; English when it shows neither. */
export function languageOf(question: string): Language {
  const words = tokenize(question).map(({ word }) => word);
  const known = (language: Language) => words.filter(word => PHRASES[language].has(word)).length;
  return known('fr') > known('en') ? 'fr' : 'en';
}
