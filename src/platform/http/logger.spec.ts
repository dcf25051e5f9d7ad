import { describe, expect, it } from 'vitest';
import { withoutCredentials } from './logger.js';

describe('a text without credentials', () => {
  it.each([
    ['Bearer eyJhbGciOi.eyJzdWIi.c2ln is expired', 'Bearer [redacted] is expired'],
    ['Bearer%20eyJhbGciOi.eyJzdWIi.c2ln', 'Bearer%20[redacted]'],
    ['key iak_acme_secret, key wak_secret', 'key [redacted], key [redacted]'],
    [`the code inv_${'x'.repeat(43)}.`, 'the code [redacted]'],
    ['sas_acme_secret at:secret at%3Asecret', '[redacted] [redacted] [redacted]'],
    ['eyJx-wak_secret', 'eyJx-[redacted]'],
    ['connect postgres://me:hush@db:5432/x', 'connect postgres://me:[redacted]@db:5432/x'],
    ['connect redis://:hush@db', 'connect redis://:[redacted]@db'],
    ['a password with a slash: x://me:hu/sh@db', 'a password with a slash: x://me:[redacted]@db'],
  ])('%s', (text, expected) => {
    expect(withoutCredentials(text)).toBe(expected);
  });

  it.each([
    'eyJhbGciOi',
    'eyJhbGciOi.x',
    'inv_short',
    'https://example.com:443/x',
    'https://x/a:b',
    'a: b@c',
  ])('stays as it is: %s', text => {
    expect(withoutCredentials(text)).toBe(text);
  });

  it.each(['eyJ', '://a:', 'iak_', 'sas_x', 'inv_', 'at:', 'eyJ.', '://:@ '])(
    'is made in a time that grows with its length, also of %s a million times',
    text => {
      expect(withoutCredentials(text.repeat(1_000_000)).length).toBeGreaterThan(0);
    },
  );
});
