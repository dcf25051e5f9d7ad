import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay, entriesOf, slugOf } from './texts.js';

describe('a text with several entries', () => {
  it('may separate them in every usual way, and names each once', () => {
    expect(entriesOf(' a@x.example, b@x.example;\nc@x.example a@x.example\n')).toEqual([
      'a@x.example',
      'b@x.example',
      'c@x.example',
    ]);
    expect(entriesOf(' \n ')).toEqual([]);
  });
});

describe('the slug of a name', () => {
  it.each([
    ['Nightly import', 'nightly-import'],
    ['Équipe n° 2 !', 'equipe-n-2'],
    ['日本', ''],
  ])('of %s is %j', (name, slug) => expect(slugOf(name)).toBe(slug));
});

describe('a day', () => {
  it('ends at its last second, in the time zone of the browser', () => {
    const end = endOfDay('2026-12-31');
    expect(new Date(end ?? '').getHours()).toBe(23);
    expect(dayOf(end)).toBe('2026-12-31');
  });

  it('is empty for no end, and the other way round', () => {
    expect(endOfDay('')).toBeNull();
    expect(endOfDay('31.12.')).toBeNull();
    expect(dayOf(null)).toBe('');
  });
});
