import { describe, expect, it } from 'vitest';
import { passedHeaders, returnedHeaders } from './forwarded-headers.js';

describe('the headers of a request', () => {
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
  ])('are passed on without %s', name => {
    expect(passedHeaders({ [name]: 'x', accept: 'y' })).toEqual({ accept: 'y', 'content-length': '0' });
  });

  it('are passed on without those that the connection names, but the body stays as long as it is', () => {
    const headers = {
      connection: 'X-Hop , content-length,HOST',
      'x-hop': '1',
      host: 'h',
      'content-length': '5',
    };
    expect(passedHeaders(headers)).toEqual({ host: 'h', 'content-length': '5' });
  });

  it('tell the end of the body as they did', () => {
    expect(passedHeaders({ 'transfer-encoding': 'chunked' })).toEqual({ 'transfer-encoding': 'chunked' });
    expect(passedHeaders({ 'content-length': '7' })).toEqual({ 'content-length': '7' });
  });

  it('are otherwise as they were', () => {
    const headers = { 'content-type': 'a/b', 'if-match': '"x"', 'x-platformer': '1', 'idempotency-key': 'k' };
    expect(passedHeaders({ ...headers, 'content-length': '1' })).toEqual({
      ...headers,
      'content-length': '1',
    });
  });
});

it('the headers of an answer are passed on without those of the connection, and without cookies', () => {
  const headers = {
    connection: 'x-hop',
    'x-hop': '1',
    'keep-alive': 'timeout=9',
    'transfer-encoding': 'chunked',
  };
  const kept = { etag: '"x"', 'content-length': '3', 'x-accel-buffering': 'no' };
  expect(returnedHeaders({ ...headers, ...kept, 'set-cookie': ['access-token=evil'] })).toEqual(kept);
});
