import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.js';

/** Random tests run longer in `npm run test:long`. */
const TIMES = Number(import.meta.env.TIMES ?? 1);

const problem = (text: string) =>
  parseJson(text).problems.map(({ kind, from, to }) => [kind, text.slice(from, to)]);

describe('JSON text', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, space) => {
        const pretty = JSON.stringify(JSON.parse(text), null, space);
        expect(parseJson(pretty).value).toEqual(JSON.parse(pretty));
      }),
    );
  });

  it('is refused where JSON.parse refuses it', () => {
    const signs = fc.string({ unit: fc.constantFrom(...'{}[]",:0.1-+eE truefalsn\\u\n') });
    fc.assert(
      fc.property(signs, text => {
        let expected = true;
        try {
          JSON.parse(text);
        } catch {
          expected = false;
        }
        const hasError = parseJson(text).problems.some(
          ({ kind }) => kind !== 'duplicate' && kind !== 'unsafe',
        );
        expect(hasError).toBe(!expected);
      }),
      { numRuns: 1_000 * TIMES },
    );
  });

  it.each([
    ['{"a": }', 'syntax', '}'],
    ['{"a": 1', 'end', '1'],
    ['{a: 1}', 'syntax', 'a'],
    ['{"a": 1,}', 'syntax', '}'],
    ['{"a": "x\n}', 'string', '"x'],
    ["{'a': 1}", 'syntax', "'"],
    ['{"a": 1} x', 'syntax', 'x'],
    ['', 'end', ''],
  ])('%j has one problem, with its place', (text, kind, place) => {
    expect(problem(text)).toEqual([[kind, place]]);
  });

  it('names a member that is there twice, of which one would be lost', () => {
    expect(problem('{"year": 1, "year": 2}')).toEqual([['duplicate', '"year"']]);
  });

  it('names a number that would lose digits', () => {
    expect(problem('{"id": 12345678901234567890, "n": 1e999, "ok": 0.1}')).toEqual([
      ['unsafe', '12345678901234567890'],
      ['unsafe', '1e999'],
    ]);
  });

  it('tells where each key and value stands', () => {
    const text = '{"$or": [{"year": {"$gt": 5}}]}';
    const { spans } = parseJson(text);
    const at = (...path: (string | number)[]) => {
      const span = spans.get(JSON.stringify(path));
      return span && text.slice(span.from, span.to);
    };
    expect(at('$or')).toBe('"$or"');
    expect(at('$or', 0)).toBe('{"year": {"$gt": 5}}');
    expect(at('$or', 0, 'year', '$gt')).toBe('"$gt"');
  });
});
