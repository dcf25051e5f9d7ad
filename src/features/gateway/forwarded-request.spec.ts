import { describe, expect, it } from 'vitest';
import { forwardedPath, passedHeaders, returnedHeaders } from './forwarded-request.js';

it.each([
  ['/v2/files', '/v2/files'],
  ['/v2/files/a%20b%2Fc?x=../..&y=%2e%2e', '/v2/files/a%20b%2Fc?x=../..&y=%2e%2e'],
  ['/v2/files/..a/b..;c/...', '/v2/files/..a/b..;c/...'],
  ['/v2/files/100%25/a%2520b', '/v2/files/100%25/a%2520b'],
])('forwards %s as %s', (url, path) => {
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
])('refuses %s, which leaves the prefix', url => {
  expect(() => forwardedPath(url)).toThrow('no route at this path');
});

describe('headers of a request', () => {
  it.each([
    'authorization',
    'cookie',
    'x-platform-user-id',
    'x_platform_user_id',
    'x-platform_identity',
    'x.platform.anything',
    'x-platform-',
    'x-forwarded-for',
    'x_forwarded_proto',
    'x-correlation_id',
    'x-real-ip',
    'forwarded',
    'proxy-authorization',
    'proxy_connection',
    'connection',
    'upgrade',
    'te',
    'expect',
  ])('are forwarded without %s', name => {
    expect(passedHeaders({ [name]: 'x', accept: 'y' })).toEqual({ accept: 'y', 'content-length': '0' });
  });

  it('are forwarded without those that `Connection` names, except host and content-length', () => {
    const headers = {
      connection: 'X-Hop , content-length,HOST',
      'x-hop': '1',
      host: 'h',
      'content-length': '5',
    };
    expect(passedHeaders(headers)).toEqual({ host: 'h', 'content-length': '5' });
  });

  it('delimit the body as the client did', () => {
    expect(passedHeaders({ 'transfer-encoding': 'chunked' })).toEqual({ 'transfer-encoding': 'chunked' });
    expect(passedHeaders({ 'content-length': '7' })).toEqual({ 'content-length': '7' });
  });

  it('are otherwise unchanged', () => {
    const headers = { 'content-type': 'a/b', 'if-match': '"x"', 'x-platformer': '1', 'idempotency-key': 'k' };
    expect(passedHeaders({ ...headers, 'content-length': '1' })).toEqual({
      ...headers,
      'content-length': '1',
    });
  });
});

it('forwards the headers of a response without hop-by-hop headers and cookies', () => {
  const headers = {
    connection: 'x-hop',
    'x-hop': '1',
    'keep-alive': 'timeout=9',
    'transfer-encoding': 'chunked',
  };
  const kept = { etag: '"x"', 'content-length': '3', 'x-accel-buffering': 'no' };
  expect(returnedHeaders({ ...headers, ...kept, 'set-cookie': ['access-token=evil'] })).toEqual(kept);
});
