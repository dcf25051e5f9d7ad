import { expect, it } from 'vitest';
import { forwardedPath } from './forwarded-path.js';

it.each([
  ['/v2/files', '/v2/files'],
  ['/v2/files/a%20b%2Fc?x=../..&y=%2e%2e', '/v2/files/a%20b%2Fc?x=../..&y=%2e%2e'],
  ['/v2/files/..a/b..;c/...', '/v2/files/..a/b..;c/...'],
  ['/v2/files/100%25/a%2520b', '/v2/files/100%25/a%2520b'],
  ['http://evil.example/v2/files?x', '/v2/files?x'],
  ['HTTPS://evil.example:1/v2/files', '/v2/files'],
])('%s is asked for as %s', (url, path) => {
  expect(forwardedPath(url)).toBe(path);
});

it.each([
  '/v2/files/..',
  '/v2/files/../x',
  '/v2/files/./x',
  '/v2/files/%2e%2E/x',
  '/v2/files/.%2e',
  '/v2/files/a%2f..%2Fb',
  '/v2/files/a\\..\\b',
  '/v2/files/a%5C..%5cb',
  '/v2/files/..;x=1/y',
  '/v2/files/%252e%252e/x',
  '/v2/files/%25252E./x',
  '/v2/files/a%252f..%25252Fb',
  '/v2/files/%25252525252e%2525252e',
  '/v2/files/.%25255c',
  'http://evil.example/v2/../x',
])('%s is nothing', url => {
  expect(() => forwardedPath(url)).toThrow('nothing at this path');
});
