import { describe, expect, it } from 'vitest';
import { checkDocument } from './document.column.js';

const refusal = (value: unknown) => {
  try {
    checkDocument(value, 'records[3]');
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('a document', () => {
  it('may be any JSON within the rules', () => {
    expect(refusal({ a: [1, 'é', null, { '𝄞': true }], [`${'x'.repeat(255)}`]: {}, a$: 1 })).toBeUndefined();
    expect(refusal(nested(100))).toBeUndefined();
  });

  it.each([
    [{ a: { 'b.c': 1 } }, "records[3].a.b.c: a field name must not contain '.'"],
    [{ $set: 1 }, 'records[3].$set: a field name must not begin with $'],
    [{ '': 1 }, 'records[3].: a field name must not be empty'],
    [{ 'a\0': 1 }, 'records[3].a\\u0000: a NUL character is not allowed'],
    [
      JSON.parse('{"a":[{"__proto__":1}]}'),
      'records[3].a.0.__proto__: __proto__ is not allowed as a field name',
    ],
    [{ a: ['ok', 'a\0b'] }, 'records[3].a.1: a NUL character is not allowed'],
    [{ a: '\ud800' }, 'records[3].a: the text is not well-formed Unicode (a lone surrogate)'],
    [JSON.parse('{"a":1e999}'), 'records[3].a: the number is out of range'],
  ])('refuses %j and names the place', (value, message) => {
    expect(refusal(value)).toBe(message);
  });

  it('refuses names of more than 255 characters, counted by code point', () => {
    expect(refusal({ ['𝄞'.repeat(255)]: 1 })).toBeUndefined();
    expect(refusal({ ['x'.repeat(256)]: 1 })).toMatch(/at most 255 characters/);
  });

  it('refuses an object with more than 50,000 fields, at any depth', () => {
    const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]));
    expect(refusal({ a: [wide(50_000)] })).toBeUndefined();
    expect(refusal({ a: [wide(50_001)] })).toMatch(/more than 50000 fields/);
  });

  it('refuses more than 250,000 values in all, and counts those of each document', () => {
    const rows = (count: number) => ({ a: Array.from({ length: count }, () => [1]) });
    // The document and its list count as values too.
    expect(refusal(rows(124_999))).toBeUndefined();
    expect(refusal(rows(124_999))).toBeUndefined();
    expect(refusal(rows(125_000))).toBe('records[3]: more than 250000 values');
  });

  it('refuses more than 100 levels without running out of stack', () => {
    expect(refusal(nested(101))).toMatch(/more than 100 levels/);
    expect(refusal(JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`))).toMatch(/more than 100 levels/);
  });
});
