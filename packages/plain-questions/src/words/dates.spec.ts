import { describe, expect, it } from 'vitest';
import type { Context } from '../context.js';
import { LEXICONS } from '../lexicon/lexicon.js';
import type { Language } from '../plan.js';
import { chronoOf, periodAt } from './dates.js';
import { tokenize } from './tokenize.js';

/** The first period of a text, on Wednesday 17 June 2026: its first day, and the day after its last. */
async function daysOf(text: string, language: Language = 'en') {
  const lexicon = LEXICONS[language];
  const chrono = await chronoOf(language);
  const context = { chrono, language, lexicon, today: '2026-06-17' } as unknown as Context;
  const tokens = tokenize(text, language);
  const found = tokens.map((_, at) => periodAt(tokens, at, context)).find(each => each !== undefined);
  return found && `${found.period.start} ${found.period.end}`;
}

describe('a period of time', () => {
  it.each([
    ['14 March 2025', '2025-03-14 2025-03-15'],
    ['March 14th, 2025', '2025-03-14 2025-03-15'],
    ['the 14th of March 2025', '2025-03-14 2025-03-15'],
    ['2025-03-14', '2025-03-14 2025-03-15'],
    ['25/03/2025', '2025-03-25 2025-03-26'],
    ['March 2025', '2025-03-01 2025-04-01'],
    ['Sept 2024', '2024-09-01 2024-10-01'],
    ['29 February 2024', '2024-02-29 2024-03-01'],
    ['first quarter of 2025', '2025-01-01 2025-04-01'],
    ['last quarter of 2025', '2025-10-01 2026-01-01'],
    ['last quarter', '2026-01-01 2026-04-01'],
    ['3 weeks ago', '2026-05-27 2026-05-28'],
  ])('is read from "%s"', async (text, days) => expect(await daysOf(text)).toBe(days));

  it.each([
    ['1er mars 2025', '2025-03-01 2025-03-02'],
    ['mars 2025', '2025-03-01 2025-04-01'],
    ['au mois de février', '2026-02-01 2026-03-01'],
    ['03/04/2025', '2025-04-03 2025-04-04'],
    ['premier trimestre 2025', '2025-01-01 2025-04-01'],
    ["aujourd'hui", '2026-06-17 2026-06-18'],
  ])('is read from French "%s"', async (text, days) => expect(await daysOf(text, 'fr')).toBe(days));

  it('leaves an invalid day to be refused', async () => {
    // In these, the first or the last word is not part of the date.
    expect(await daysOf('30 February 2025')).toBe('2025-02-01 2025-03-01');
    expect(await daysOf('14 March 25')).toBe('2026-03-14 2026-03-15');
    expect(await daysOf('March, 14 orders')).toBe('2026-03-01 2026-04-01');
  });

  it('without a year is the most recent one that has begun', async () => {
    expect(await daysOf('in June')).toBe('2026-06-01 2026-07-01');
    expect(await daysOf('in July')).toBe('2025-07-01 2025-08-01');
    expect(await daysOf('18 June')).toBe('2025-06-18 2025-06-19');
  });

  it.each([
    '03/04/2025', // a day in April or in March
    'tonight',
    'Friday',
    'last days',
    'in 3 days',
    'last "month of May"', // the name of something
    '5 "March"',
    'a few days ago',
    '24 hours ago',
    'the last year',
    'orders may be', // a verb
    'at 5 pm',
  ])('is not guessed: "%s"', async text => {
    const days = await daysOf(text);
    expect(days).toBeUndefined();
  });
});
