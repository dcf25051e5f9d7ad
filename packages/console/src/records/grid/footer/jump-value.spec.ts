import { describe, expect, it } from 'vitest';
import { jumpValue } from './jump-value.js';

describe('a value to jump to', () => {
  it('has the type of the column', () => {
    expect(jumpValue(' 42 ', 'integer', 'en')).toBe(42);
    expect(jumpValue('1,5', 'double', 'en')).toBe(1.5);
    expect(jumpValue('1,500', 'integer', 'en')).toBe(1500);
    expect(jumpValue('1,500', 'double', 'fr')).toBe(1.5);
    expect(jumpValue('true', 'boolean', 'en')).toBe(true);
    expect(jumpValue('Ab ', 'text', 'en')).toBe('Ab ');
    expect(jumpValue('2026-01-31', 'date', 'en')).toBe('2026-01-31');
  });

  it('is a number in a flexible field if it looks like one', () => {
    expect(jumpValue('42', 'flexible', 'en')).toBe(42);
    expect(jumpValue('B2', 'flexible', 'en')).toBe('B2');
  });

  it('is refused if it is not a value of the column', () => {
    expect(jumpValue('many', 'integer', 'en')).toBeUndefined();
    expect(jumpValue('yes', 'boolean', 'en')).toBeUndefined();
    expect(jumpValue('  ', 'text', 'en')).toBeUndefined();
  });
});
