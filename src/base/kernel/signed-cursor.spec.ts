import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from './id.js';
import { SignedCursor, SignedIdCursor } from './signed-cursor.js';

const KEY = randomBytes(32);

describe('a signed cursor', () => {
  const cursors = new SignedCursor(KEY);
  const signed = cursors.sign(Buffer.from('["a",1]'), 'list');

  it('returns its position', () => {
    expect(cursors.open(signed, 'list')?.toString()).toBe('["a",1]');
  });

  it('is refused for another list, under another key, and with another length of positions', () => {
    expect(cursors.open(signed, 'other')).toBeUndefined();
    expect(new SignedCursor(randomBytes(32)).open(signed, 'list')).toBeUndefined();
    expect(new SignedCursor(KEY, 16).open(signed, 'list')).toBeUndefined();
  });

  it('is refused if any byte is changed, and if it is truncated or empty', () => {
    const bytes = Buffer.from(signed, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(cursors.open(changed.toString('base64url'), 'list')).toBeUndefined();
      expect(cursors.open(bytes.subarray(0, at).toString('base64url'), 'list')).toBeUndefined();
    }
  });
});

it('a signed id cursor returns the hexadecimal digits of its id, for the same list only', () => {
  const cursors = new SignedIdCursor(KEY);
  const id = newId();
  expect(cursors.open(cursors.sign(id, 'list'), 'list')).toBe(id.replaceAll('-', ''));
  expect(cursors.open(cursors.sign(id, 'list'), 'other')).toBeUndefined();
});
