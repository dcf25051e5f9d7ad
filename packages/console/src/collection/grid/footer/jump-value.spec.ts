import { describe, expect, it } from 'vitest';
import { jumpValue } from './jump-value.js';

describe('a value to jump to', () => {
  it('has the type of the column', () => {
    expect(jumpValue(' 42 ', 'integer')).toBe(42);
    expect(jumpValue('1,5', 'double')).toBe(1.5);
    expect(jumpValue('true', 'boolean')).toBe(true);
    expect(jumpValue('Ab ', 'text')).toBe('Ab ');
    expect(jumpValue('2026-01-31', 'date')).toBe('2026-01-31');
  });

  it('is a number in a flexible field if it looks like one', () => {
    expect(jumpValue('42', 'flexible')).toBe(42);
    expect(jumpValue('B2', 'flexible')).toBe('B2');
  });

  it('is refused if it is not a value of the column', () => {
    expect(jumpValue('many', 'integer')).toBeUndefined();
    expect(jumpValue('yes', 'boolean')).toBeUndefined();
    expect(jumpValue('  ', 'text')).toBeUndefined();
  });
});
