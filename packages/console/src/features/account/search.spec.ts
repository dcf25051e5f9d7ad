import { describe, expect, it } from 'vitest';
import { safeNext, signInSearch } from './search.js';

describe('the page after signing in', () => {
  it.each([
    ['/console/collections', '/console/collections'],
    ['/console/collections/a?filter=%7B%7D#x', '/console/collections/a?filter=%7B%7D#x'],
    ['/oidc/interaction/abc', '/oidc/interaction/abc'],
    ['/docs', '/docs'],
    ['/a/../console', '/console'],
    ['/console?next=//evil.com', '/console?next=//evil.com'],
  ])('may be %s', (value, expected) => {
    expect(safeNext(value)).toBe(expected);
  });

  it.each([
    '//evil.com',
    '///evil.com',
    '/\\evil.com',
    '\\evil.com',
    '\\\\evil.com',
    '/\t/evil.com',
    '/\n/evil.com',
    ' //evil.com',
    '/..//evil.com',
    '/.//evil.com',
    '/%2e%2e//evil.com',
    '/%5Cevil.com',
    '/%09/evil.com',
    '/%2fevil.com',
    'https://evil.com',
    'https:evil.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'console',
    '',
    '/\ud800',
    7,
    undefined,
    null,
    ['/console'],
  ])('cannot be %j', value => {
    expect(safeNext(value)).toBeUndefined();
  });

  it.each([
    '/v2/user/webSession?ticket=x',
    '/v2/login?provider=x',
    '/V2/login',
    '/%762/login',
    '/v1',
    '/%zz',
  ])('cannot be a request of the API, which could sign somebody else in: %s', value => {
    expect(safeNext(value)).toBeUndefined();
  });
});

it('the search part of the sign-in page keeps what it knows and drops the rest', () => {
  expect(
    signInSearch({ next: '/docs', org: 42, again: true, failed: 'link', error: 'Unauthorized' }),
  ).toEqual({ next: '/docs', org: '42', again: true, failed: 'link', error: 'Unauthorized' });
  expect(signInSearch({ next: '//x', org: {}, again: 'yes', failed: 'me', error: 1, more: 1 })).toEqual({});
});
