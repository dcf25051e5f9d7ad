import { describe, expect, it } from 'vitest';
import { parseJson } from './body.guard.js';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('the text of a body', () => {
  it.each([
    ['', {}],
    ['{}', {}],
    ['[1,"x",null]', [1, 'x', null]],
    ['{"a":"__proto"}', { a: '__proto' }],
    ['{"a":"\\u0070\\u005f"}', { a: 'p_' }],
  ])('%j is %j', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    '{"__proto__":1}',
    '{"a":[{"__proto__":{}}]}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006Fto__":1}',
    '{"__pro\\u0074o__":1}',
    '{"\\u005F\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}',
  ])('%j is refused for its field name', text => {
    expect(() => parse(text)).toThrow('__proto__');
  });

  it('may have __proto__ as a value', () => {
    expect(parse('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it.each(['{', '{}x', "{'a':1}", 'undefined', 'NaN', '\u0000'])('%j is no JSON', text => {
    expect(() => parse(text)).toThrow('not valid JSON');
  });

  it('is refused when it is no UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8');
  });

  it('quotes at most a little of itself', () => {
    expect(() => parse(`[${'x'.repeat(100_000)}`)).toThrow(/^.{1,300}$/s);
  });
});
