import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIMES } from '../../../../test/harness/dice.js';
import { redirectTarget } from './redirect-target.js';

const settings = {
  PUBLIC_URL: 'https://api.example.com',
  PLATFORM_ORIGINS: ['https://console.example.com'],
  WEB_SESSION_ALLOWED_REDIRECT_HOSTS: ['App.Example.org', 'pages.example.org:8443', 'localhost:5173'],
};
const ALLOWED_ORIGINS = [
  'https://api.example.com',
  'https://console.example.com',
  'https://app.example.org',
  'https://pages.example.org:8443',
  'http://localhost:5173',
  'https://localhost:5173',
];

describe('a redirect target', () => {
  it.each([
    ['/', 'https://api.example.com/'],
    ['/docs?a=b c#d', 'https://api.example.com/docs?a=b%20c#d'],
    ['/a/../b', 'https://api.example.com/b'],
    ['/?next=//evil.com', 'https://api.example.com/?next=//evil.com'],
    ['https://api.example.com', 'https://api.example.com/'],
    ['HTTPS://API.EXAMPLE.COM:443/x', 'https://api.example.com/x'],
    ['https://console.example.com/orgs', 'https://console.example.com/orgs'],
    ['https://app.example.org/', 'https://app.example.org/'],
    ['https://pages.example.org:8443/', 'https://pages.example.org:8443/'],
    ['http://localhost:5173/', 'http://localhost:5173/'],
  ])('may be %s, sent as %s', (value, sent) => {
    expect(redirectTarget(value, settings)).toBe(sent);
  });

  it.each([
    '//evil.com',
    '///evil.com',
    '\\\\evil.com',
    '/\\evil.com',
    '\\/evil.com',
    '/\t/evil.com',
    '/\n/evil.com',
    '\t//evil.com',
    ' //evil.com',
    ' /docs',
    '/docs ',
    '/docs\u0000',
    '/docs\u0085',
    '/..//evil.com',
    '/.//evil.com',
    '/%2e%2e//evil.com',
    '/a/..//evil.com',
    'https://api.example.com//evil.com',
    'https:evil.com',
    'https:/evil.com',
    'https:///evil.com',
    'http:evil.com',
    'https://api.example.com@evil.com/',
    'https://user@api.example.com/',
    'https://user:password@api.example.com/',
    'https://api.example.com.evil.com/',
    'https://api.example.com:8443/',
    'http://api.example.com/',
    'http://console.example.com/',
    'http://app.example.org/',
    'https://app.example.org:444/',
    'https://pages.example.org/',
    'https://sub.app.example.org/',
    'http://localhost/',
    'https://аpi.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'docs',
    '?a',
    '#a',
    '.',
    '',
    '/\ud800',
    `/${'a'.repeat(2_048)}`,
    `/${'é'.repeat(1_000)}`,
  ])('is refused: %j', value => {
    expect(redirectTarget(value, settings)).toBeUndefined();
  });

  it('never leads away from the platform, whatever its spelling', () => {
    const piece = fc.constantFrom(
      ...['/', '//', '\\', '..', '.', '%2e', '@', ':', '\t', '\n', ' ', '?', '#', 'https:', 'http://'],
      ...[
        'evil.com',
        'api.example.com',
        'localhost',
        ':5173',
        'app.example.org',
        'é',
        '\u00ad',
        '%2f',
        '%5c',
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 9 }).map(pieces => pieces.join('')),
      fc.webUrl(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, value => {
        const target = redirectTarget(value, settings);
        if (target === undefined) return;
        const url = new URL(target);
        expect(ALLOWED_ORIGINS).toContain(url.origin);
        expect(url.href).toBe(target);
        // Also when only the path survives, a browser stays where it is.
        expect(new URL(url.pathname, 'https://elsewhere.example').origin).toBe('https://elsewhere.example');
        expect(redirectTarget(target, settings)).toBe(target);
      }),
      { numRuns: 200 * TIMES },
    );
  });
});
