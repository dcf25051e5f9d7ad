import { expect, it } from 'vitest';
import type { Ground } from './ground.js';
import { fieldsNamed } from './named-fields.js';

it('holds words against many columns only where one can be meant, and the same words once', () => {
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
  const ground = { fields, entity: ['thing'] } as unknown as Ground;
  const looksFor = (...words: string[]) => {
    looks = 0;
    const found = fieldsNamed(words, ground).length;
    return { found, looks };
  };
  expect(looksFor('unit', 'number')).toEqual({ found: 500, looks: expect.any(Number) });
  expect(looksFor('unit', 'number')).toEqual({ found: 500, looks: 0 });
  expect(looksFor('unit', 'price', 'list')).toEqual({ found: 0, looks: 0 });
});
