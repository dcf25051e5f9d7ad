import { describe, expect, it } from 'vitest';
import { readLayout, writeLayout } from './layout.js';

function storage(text: string | null = null) {
  let stored = text;
  return {
    getItem: () => stored,
    setItem: (_: string, value: string) => {
      stored = value;
    },
  };
}

describe('the layout of a grid', () => {
  it('comes back as it was stored', () => {
    const store = storage();
    writeLayout('books', { widths: { title: 240 }, pinned: ['title'] }, store);
    expect(readLayout('books', store)).toEqual({ widths: { title: 240 }, pinned: ['title'] });
  });

  it('is empty without what is not valid', () => {
    const none = { widths: {}, pinned: [] };
    expect(readLayout('books', storage())).toEqual(none);
    expect(readLayout('books', storage('{'))).toEqual(none);
    expect(readLayout('books', storage('7'))).toEqual(none);
    expect(readLayout('books', storage('{"widths":{"a":"wide","b":9},"pinned":[1,"b"]}'))).toEqual({
      widths: { b: 60 },
      pinned: ['b'],
    });
  });
});
