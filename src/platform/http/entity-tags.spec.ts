import { describe, expect, it } from 'vitest';
import { allowedTags, isKnown } from './entity-tags.js';

describe('the tags that If-Match allows', () => {
  it.each([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"a"', ['a']],
    ['""', ['']],
    ['"a", "b"', ['a', 'b']],
    ['"a","b"\t, "c"', ['a', 'b', 'c']],
    [', "a",, "b" ,', ['a', 'b']],
    ['"a, b"'.replace(' ', ''), ['a,b']],
    ['"\\"', ['\\']],
    ['"\u00ff"', ['\u00ff']],
    ['W/"a"', []],
    ['W/"a", "b"', ['b']],
  ])('%j allows %j', (header, tags) => {
    expect(allowedTags(header)).toEqual(tags);
  });

  it.each([
    '',
    ' ',
    ',',
    'a',
    '"a',
    'a"',
    '"a" "b"',
    '*, "a"',
    '"a", *',
    'w/"a"',
    'W/ "a"',
    "'a'",
    '"a b"',
    '"a";q=1',
  ])('%j is malformed', header => {
    expect(() => allowedTags(header)).toThrow('If-Match');
    expect(() => isKnown('a', header)).toThrow('If-None-Match');
  });
});

describe('the tags that If-None-Match lists', () => {
  it.each([
    ['*', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['"A"', false],
    ['"aa", "b"', false],
  ])('%j: %j', (header, known) => {
    expect(isKnown('a', header)).toBe(known);
  });
});

it('reads a header of the maximum length in linear time', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => `"${n}"`).join(',');
  expect(allowedTags(many)).toHaveLength(5_000);
  expect(() => allowedTags(`${'"a" '.repeat(5_000)}x`)).toThrow('If-Match');
});
