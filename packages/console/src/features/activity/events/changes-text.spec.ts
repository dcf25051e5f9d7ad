import { expect, it } from 'vitest';
import { changesText } from './changes-text.js';

it('the changes of an event leave out what is null', () => {
  expect(JSON.parse(changesText({ before: null, after: { name: 'x' } }) as string)).toEqual({
    after: { name: 'x' },
  });
  expect(JSON.parse(changesText({ before: null, after: null, inserted: 2, deleted: 0 }) as string)).toEqual({
    inserted: 2,
    deleted: 0,
  });
  expect(changesText({ before: null, after: null })).toBeUndefined();
  expect(changesText(null)).toBeUndefined();
});

it('the changes of an event are cut before they are drawn', () => {
  const text = changesText({ before: null, after: { name: 'x'.repeat(100_000) } }) as string;
  expect(text.length).toBeLessThan(20_002);
  expect(text.endsWith('…')).toBe(true);
});
