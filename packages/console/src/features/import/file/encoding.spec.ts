import { describe, expect, it } from 'vitest';
import { encoded } from './encoded.js';
import { encodingOf, isNotText } from './encoding.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('the encoding of a file', () => {
  it.each([
    ['utf-8', utf8('title\nEmma\n')],
    ['utf-8', utf8('title\nÉmile, 東京\n')],
    ['utf-8', utf8('\ufefftitle\n')],
    ['utf-8', new Uint8Array()],
    ['windows-1252', encoded('title\nÉmile\n', 'latin1')],
    ['utf-16le', encoded('\ufefftitle\n', 'utf-16le')],
    ['utf-16be', encoded('\ufefftitle\n', 'utf-16be')],
    ['utf-16le', encoded('title\n', 'utf-16le')],
    ['utf-16be', encoded('title\n', 'utf-16be')],
  ])('%s is recognized', (encoding, head) => {
    expect(encodingOf(head, true)).toBe(encoding);
  });

  it('is UTF-8 although its beginning ends inside a character', () => {
    expect(encodingOf(utf8('É').subarray(0, 1), false)).toBe('utf-8');
    expect(encodingOf(utf8('É').subarray(0, 1), true)).toBe('windows-1252');
  });
});

it('tells workbooks, PDF and compressed files from text', () => {
  for (const start of ['PK\x03\x04', '%PDF-1.7', '\x1f\x8b\x08']) {
    expect(isNotText(encoded(start, 'latin1')), start).toBe(true);
  }
  expect(isNotText(utf8('PKW;city'))).toBe(false);
});
