import { describe, expect, it } from 'vitest';
import { tokenize } from './tokenize.js';

const words = (text: string) => tokenize(text).map(({ text: each, quoted }) => (quoted ? `<${each}>` : each));

describe('a quoted text', () => {
  it.each([
    ['is "in progress" now', ['is', '<in progress>', 'now']],
    ['is “in progress” now', ['is', '<in progress>', 'now']],
    ["is 'in work' now", ['is', '<in work>', 'now']],
    ['est « en cours » ou «payé»', ['est', '<en cours>', 'ou', '<payé>']],
    ['« ouvert « en cours »', ['ouvert', '<en cours>']],
    ['“open “in progress”', ['open', '<in progress>']],
  ])('is one token: %s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each(['«', '“', '"', "'", '« ', '1 111 '])(
    'is looked for in a time that does not grow faster than the length, also with many %s',
    sign => {
      expect(words(`${sign.repeat(5_000)}${' '.repeat(20_000)}x`).at(-1)).toBe('x');
    },
  );
});
