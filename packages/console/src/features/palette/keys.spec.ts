import { describe, expect, it } from 'vitest';
import { commandOf } from './keys.js';

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  defaultPrevented: false,
  ...more,
});

describe('a key', () => {
  it('opens the palette with Ctrl or ⌘ and K, also while somebody types', () => {
    for (const single of [true, false]) {
      expect(commandOf(press('k', { ctrlKey: true }), single)).toBe('palette');
      expect(commandOf(press('K', { metaKey: true }), single)).toBe('palette');
    }
    expect(commandOf(press('k'), true)).toBeUndefined();
  });

  it('opens the shortcuts with a question mark, unless keys of a single character are ignored', () => {
    expect(commandOf(press('?'), true)).toBe('shortcuts');
    expect(commandOf(press('?'), false)).toBeUndefined();
  });

  it('does nothing if something else used it, or with Alt', () => {
    expect(commandOf(press('k', { ctrlKey: true, defaultPrevented: true }), false)).toBeUndefined();
    expect(commandOf(press('k', { ctrlKey: true, altKey: true }), false)).toBeUndefined();
  });
});
