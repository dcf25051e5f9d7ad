import { describe, expect, it } from 'vitest';
import { areMetricsKept, mayReadMetrics } from './metrics-access.js';

const TOKEN = 'a-token-of-the-monitoring-system';
const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as Parameters<typeof mayReadMetrics>[0];

describe('metrics can be read', () => {
  it.each([
    ['with the token from anywhere', from('203.0.113.7', { authorization: `Bearer ${TOKEN}` }), true],
    ['without it from nowhere', from('127.0.0.1'), false],
    ['with another one from nowhere', from('127.0.0.1', { authorization: `Bearer ${TOKEN}x` }), false],
    ['with a longer scheme from nowhere', from('127.0.0.1', { authorization: `Basic ${TOKEN}` }), false],
  ])('%s, if a token is set', (_, request, may) => {
    expect(mayReadMetrics(request, { METRICS_TOKEN: TOKEN, NODE_ENV: 'production' })).toBe(may);
  });

  it.each([
    ['this machine', from('127.0.0.1'), true],
    ['this machine over IPv6', from('::1'), true],
    ['this machine by a mapped address', from('::ffff:127.0.0.1'), true],
    ['another machine', from('10.1.2.3'), false],
    ['an address that only begins so', from('::1234'), false],
    ['a proxy on this machine', from('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }), false],
    ['a proxy that says so otherwise', from('::1', { via: '1.1 proxy' }), false],
  ])('from %s, if no token is set', (_, request, may) => {
    expect(mayReadMetrics(request, { METRICS_TOKEN: undefined, NODE_ENV: 'development' })).toBe(may);
  });

  it('by nobody in production if no token is set, and none are collected', () => {
    expect(areMetricsKept({ METRICS_TOKEN: undefined, NODE_ENV: 'production' })).toBe(false);
    expect(mayReadMetrics(from('127.0.0.1'), { METRICS_TOKEN: undefined, NODE_ENV: 'production' })).toBe(
      false,
    );
    expect(areMetricsKept({ METRICS_TOKEN: TOKEN, NODE_ENV: 'production' })).toBe(true);
    expect(areMetricsKept({ METRICS_TOKEN: undefined, NODE_ENV: 'development' })).toBe(true);
  });
});
