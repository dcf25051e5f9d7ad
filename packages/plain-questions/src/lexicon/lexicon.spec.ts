import { describe, expect, it } from 'vitest';
import type { Context } from '../context.js';
import { chronoOf, periodAt } from '../words/dates.js';
import { tokenize } from '../words/tokenize.js';
import { LEXICONS, languageOf } from './lexicon.js';

const LANGUAGES = ['en', 'fr'] as const;

describe('the lexicons', () => {
  it('have the same roles, words, answers and refusals in each language', () => {
    const keys = ({ roles, words, answers, refusals, calendar }: (typeof LEXICONS)['en']) =>
      [roles, words, answers, refusals, calendar].map(part => Object.keys(part).sort());
    expect(keys(LEXICONS.fr)).toEqual(keys(LEXICONS.en));
  });

  it('name the same things in the refusals of each language', () => {
    const named = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
    for (const [reason, text] of Object.entries(LEXICONS.en.refusals))
      expect([reason, named(LEXICONS.fr.refusals[reason as 'word'])]).toEqual([reason, named(text)]);
  });

  it.each(LANGUAGES)('write their words without accents and in lower case: %s', language => {
    const phrases = Object.values(LEXICONS[language].roles).flat();
    expect(phrases.filter(phrase => tokenize(phrase).some(({ text, word }) => text !== word))).toEqual([]);
  });

  it('determine the language of a question', () => {
    expect(languageOf('How many orders are there?')).toBe('en');
    expect(languageOf('Combien de commandes ?')).toBe('fr');
    expect(languageOf('unicorns')).toBe('en');
  });
});

describe.each(LANGUAGES)('the forms of periods: %s', language => {
  const lexicon = LEXICONS[language];

  it.each(lexicon.calendar.forms)('$form reads "$example"', async ({ means, example }) => {
    const chrono = await chronoOf(language);
    const context = { chrono, language, lexicon, today: '2026-06-17' } as unknown as Context;
    const words = tokenize(example, language);
    const at = words.findIndex(({ word }) => word !== 'the');
    const found = periodAt(words, at, context);
    expect(found?.length).toBe(means === 'vague' ? undefined : words.length - at);
  });
});
