import { describe, expect, it } from 'vitest';
import { formOfJson, parseForm } from './form-body.js';

const parsed = (text: string) => parseForm(Buffer.from(text));

describe('a form', () => {
  it('is parsed into texts', () => {
    expect(parsed('a=1&b=x+y%20%C3%A9&c=')).toEqual({ a: '1', b: 'x y é', c: '' });
  });

  it('returns a repeated field as a list, so that no code picks one value', () => {
    expect(parsed('a=1&b=2&a=3')).toEqual({ a: ['1', '3'], b: '2' });
  });

  it('treats __proto__ as an ordinary field', () => {
    expect(Object.hasOwn(parsed('__proto__=x') as object, '__proto__')).toBe(true);
  });

  it.each(['a=%', 'a=%zz', 'a=%C3', 'a=%FF'])('is refused when it cannot be decoded: %s', text => {
    expect(() => parsed(text)).toThrow('percent-encoded');
  });

  it('is refused when its bytes are not UTF-8', () => {
    expect(() => parseForm(Buffer.from([0x61, 0x3d, 0xff]))).toThrow('percent-encoded');
  });
});

describe('a form of many fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&');

  it('has at most 100 of them', () => {
    expect(Object.keys(parsed(fields(100)))).toHaveLength(100);
    expect(() => parsed(fields(101))).toThrow('at most 100 fields');
  });

  it('counts every repetition of a field', () => {
    expect(() => parsed('a=1&'.repeat(100))).toThrow('at most 100 fields');
  });
});

describe('a form that was sent as JSON', () => {
  it('is an object with texts, numbers and lists of them', () => {
    for (const body of [{}, { a: '1' }, { a: ['1', 2], b: true, c: null }])
      expect(formOfJson(body)).toBe(body);
  });

  it.each([
    [null],
    [[]],
    ['a=1'],
    [1],
    [{ a: {} }],
    [{ a: { toString: 0 } }],
    [{ a: ['1', {}] }],
    [{ a: [['1']] }],
  ])('is refused otherwise: %j', body => {
    expect(() => formOfJson(body)).toThrow('must be a form');
  });
});
