import { describe, expect, it } from 'vitest';
import { COLUMN_TYPES, type ColumnTypeName, id, isColumnTypeName } from './index.js';

const accept = (type: ColumnTypeName, value: unknown) => COLUMN_TYPES[type].accept(value);

describe('the values that a column accepts', () => {
  it.each([
    ['text', '', ''],
    ['integer', 9007199254740991, 9007199254740991],
    ['integer', -9007199254740991, -9007199254740991],
    ['double', 1.5, 1.5],
    ['double', 7, 7],
    ['boolean', false, false],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '0001-01-01', '0001-01-01'],
    ['json', { a: [1] }, { a: [1] }],
    ['json', 0, 0],
    ['array', [], []],
    ['array', ['a', ''], ['a', '']],
  ] as const)('%s takes %j', (type, value, stored) => {
    expect(accept(type, value)).toEqual(stored);
  });

  it.each([
    ['text', 7],
    ['integer', 1.5],
    ['integer', '7'],
    ['integer', 9007199254740992],
    ['integer', true],
    ['double', '1'],
    ['double', Number.POSITIVE_INFINITY],
    ['boolean', 'true'],
    ['boolean', 1],
    ['date', '2023-02-29'],
    ['date', '2024-13-01'],
    ['date', '2024-00-10'],
    ['date', '2024-1-1'],
    ['date', '0000-01-01'],
    ['date', '1900-02-29'],
    ['date', '2024-01-01T00:00:00Z'],
    ['array', ['a', 1]],
    ['array', ['a', null]],
    ['array', 'a'],
    ['array', { 0: 'a' }],
  ] as const)('%s refuses %j', (type, value) => {
    expect(accept(type, value)).toBeUndefined();
  });

  it('stores negative zero as zero', () => {
    expect(Object.is(accept('integer', -0), 0)).toBe(true);
    expect(Object.is(accept('double', -0), 0)).toBe(true);
  });
});

describe('a datetime', () => {
  it.each([
    ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00.000Z'],
    ['2024-01-31T09:30Z', '2024-01-31T09:30:00.000Z'],
    ['2024-01-31T00:30:00.5+02:00', '2024-01-30T22:30:00.500Z'],
    ['2024-12-31T23:30:00-01:00', '2025-01-01T00:30:00.000Z'],
    ['2024-01-31t09:30:00z', '2024-01-31T09:30:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is stored as %s', (text, stored) => {
    expect(accept('datetime', text)).toBe(stored);
  });

  it('is truncated to milliseconds, never rounded', () => {
    expect(accept('datetime', '2024-01-31T23:59:59.9999999Z')).toBe('2024-01-31T23:59:59.999Z');
  });

  it.each([
    '2024-01-31T09:30:00',
    '2024-01-31',
    '2024-02-30T00:00:00Z',
    '2024-01-31T24:00:00Z',
    '2024-01-31T09:60:00Z',
    '2024-01-31T09:30:60Z',
    '2024-01-31T09:30:00+24:00',
    '2024-01-31T09:30:00+0200',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2024-01-31 09:30:00Z',
    'yesterday',
  ])('refuses %s', text => {
    expect(accept('datetime', text)).toBeUndefined();
  });
});

describe('operands of a filter', () => {
  const { integer, text, date, datetime, boolean } = COLUMN_TYPES;

  it('never match another type', () => {
    expect(integer.operand('7', 'eq')).toBeUndefined();
    expect(text.operand(7, 'gt')).toBeUndefined();
    expect(boolean.operand(1, 'eq')).toBeUndefined();
    expect(date.operand(20240101, 'eq')).toBeUndefined();
  });

  it('have the same meaning in an integer column', () => {
    expect(integer.operand(1.5, 'eq')).toBeUndefined();
    expect(integer.operand(1.5, 'gt')).toBe(1);
    expect(integer.operand(1.5, 'gte')).toBe(2);
    expect(integer.operand(1.5, 'lt')).toBe(2);
    expect(integer.operand(-1.5, 'lte')).toBe(-2);
    expect(integer.operand(1e300, 'lt')).toBe(2 ** 53);
    expect(integer.operand(-1e300, 'gte')).toBe(-(2 ** 53));
  });

  it('accept a day as its first instant, and refuse unreadable text', () => {
    expect(datetime.operand('2024-01-31', 'gte')).toBe('2024-01-31T00:00:00.000Z');
    expect(() => datetime.operand('2024-01-31T09:30:00', 'gte')).toThrow(
      /not an ISO 8601 date-time with offset/,
    );
    expect(() => date.operand('soon', 'eq')).toThrow("'soon' is not a calendar date YYYY-MM-DD");
  });

  it('compare ids as uuids in any case, and match no other text', () => {
    expect(id.operand('0190A000-0000-7000-8000-00000000000F', 'eq')).toBe(
      '0190a000-0000-7000-8000-00000000000f',
    );
    expect(id.operand('x', 'gt')).toBeUndefined();
  });
});

it('knows the eight type names and no inherited name', () => {
  expect(Object.keys(COLUMN_TYPES)).toHaveLength(8);
  expect(isColumnTypeName('text')).toBe(true);
  expect(isColumnTypeName('id')).toBe(false);
  expect(isColumnTypeName('toString')).toBe(false);
});
