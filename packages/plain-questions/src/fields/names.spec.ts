import { expect, it } from 'vitest';
import { LEXICONS } from '../lexicon/lexicon.js';
import { fieldsNamed } from './names.js';

it('compares words only with columns that they can name, and the same words only once', () => {
  let looks = 0;
  const fields = Array.from({ length: 500 }, (_, n) => ({
    name: `unit_number_${n}`,
    kind: 'text' as const,
    system: false,
    get words() {
      looks += 1;
      return [String(n), 'unit', 'number'];
    },
  }));
  const context = { fields, entity: ['thing'], lexicon: LEXICONS.en };
  const looksFor = (...words: string[]) => {
    looks = 0;
    const found = fieldsNamed(words, context).length;
    return { found, looks };
  };
  expect(looksFor('unit', 'number')).toEqual({ found: 500, looks: expect.any(Number) });
  expect(looksFor('unit', 'number')).toEqual({ found: 500, looks: 0 });
  expect(looksFor('unit', 'price', 'list')).toEqual({ found: 0, looks: 0 });
});
