import { describe, expect, it } from 'vitest';
import { isTextOfTooMany, isTooMany, jsonList } from './json.js';
import { MAX_VALUES } from './limits.js';

const list = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item);

describe('values', () => {
  // The outer list counts as a value too.
  it.each<[string, unknown, unknown]>([
    ['in a list', list(MAX_VALUES - 1, 1), list(MAX_VALUES, 1)],
    ['of nested lists', list(MAX_VALUES / 2 - 1, [1]), list(MAX_VALUES / 2, [1])],
    ['of objects', list(MAX_VALUES / 2 - 1, { a: '1' }), list(MAX_VALUES / 2, { a: '1' })],
  ])('%s are too many beyond the limit only', (_, fitting, tooMany) => {
    expect([isTooMany(fitting), isTooMany(tooMany)]).toEqual([false, true]);
  });

  it('are counted at any depth without running out of stack', () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect(isTooMany(deep)).toBe(false);
    expect(isTooMany([deep, list(150_000, 1)])).toBe(true);
  });

  it('of text are refused before parsing only if they are certainly too many', () => {
    expect(isTextOfTooMany(JSON.stringify(list(MAX_VALUES - 1, 12)))).toBe(false);
    expect(isTextOfTooMany(JSON.stringify(list(MAX_VALUES + 1, 12)))).toBe(true);
    expect(isTextOfTooMany('[['.repeat(MAX_VALUES))).toBe(true);
    expect(isTextOfTooMany(JSON.stringify([',['.repeat(MAX_VALUES), '\\"'.repeat(MAX_VALUES), '"']))).toBe(
      false,
    );
    expect(isTextOfTooMany(`"${'\\'.repeat(4 * MAX_VALUES)}`)).toBe(false);
  });
});

describe('a list of texts', () => {
  it.each([
    ['none', []],
    ['short', ['x', 'é']],
    ['one long', ['x'.repeat(100_000)]],
    ['many', list(70_000, 'x')],
    ['with characters of two to four bytes', list(30_000, 'é漢𝄞')],
  ])('has the same JSON with %s items', (_, values) => {
    const { text } = jsonList(
      '{"é":',
      values.map(value => JSON.stringify(value)),
      ',"漢":2}',
    );
    expect(text).toBe(JSON.stringify({ é: values, 漢: 2 }));
  });

  it('is bytes if it is long', () => {
    const isBytes = (length: number) =>
      Buffer.isBuffer(jsonList('', list(length, '1') as string[], '').content);
    expect([isBytes(1_000), isBytes(100_000)]).toEqual([false, true]);
  });
});
