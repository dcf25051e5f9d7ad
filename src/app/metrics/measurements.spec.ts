import { expect, it } from 'vitest';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { RequestDurations } from './measurements.js';

const request = (path: unknown, method = 'GET') =>
  ({ method, path: '/v1/collections/7', route: path && { path } }) as unknown as PlatformRequest;

it('requests are counted by route pattern, method and class of status; those without a route as `none`', () => {
  const durations = new RequestDurations();
  durations.note(request('/v1/collections/:id'), 404, 12.5);
  durations.note(request('/v1/collections/:id'), 410, 7.5);
  durations.note(request('/v1/collections/:id', 'DELETE'), 404, 1);
  durations.note(request(undefined), 499, 1_000);
  durations.note(request(/any/), 200, 90_000);
  const counts = durations.text().match(/^.*_(count|sum).*$/gm);
  expect(counts).toEqual([
    'http_request_duration_seconds_sum{method="GET",route="/v1/collections/:id",status="4xx"} 0.02',
    'http_request_duration_seconds_count{method="GET",route="/v1/collections/:id",status="4xx"} 2',
    'http_request_duration_seconds_sum{method="DELETE",route="/v1/collections/:id",status="4xx"} 0.001',
    'http_request_duration_seconds_count{method="DELETE",route="/v1/collections/:id",status="4xx"} 1',
    'http_request_duration_seconds_sum{method="GET",route="none",status="4xx"} 1',
    'http_request_duration_seconds_count{method="GET",route="none",status="4xx"} 1',
    'http_request_duration_seconds_sum{method="GET",route="none",status="2xx"} 90',
    'http_request_duration_seconds_count{method="GET",route="none",status="2xx"} 1',
  ]);
});

it('a bucket counts the requests that took no longer than its bound', () => {
  const durations = new RequestDurations();
  for (const milliseconds of [2, 2.1, 10, 61_000]) durations.note(request('/a'), 200, milliseconds);
  const buckets = [...durations.text().matchAll(/le="([^"]+)".* (\d+)$/gm)].map(([, le, n]) => [
    le,
    Number(n),
  ]);
  expect(buckets).toHaveLength(14);
  expect(buckets.slice(0, 4)).toEqual([
    ['0.002', 1],
    ['0.005', 2],
    ['0.01', 3],
    ['0.025', 3],
  ]);
  expect(buckets.slice(-2)).toEqual([
    ['60', 3],
    ['+Inf', 4],
  ]);
});

it('begins with HELP and TYPE, and keeps the format for every route pattern', () => {
  const durations = new RequestDurations();
  durations.note(request('/a"b\\c\nd'), 200, 1);
  const text = durations.text();
  expect(text).toMatch(
    /^# HELP http_request_duration_seconds .+\n# TYPE http_request_duration_seconds histogram\n/,
  );
  expect(text).toContain('route="/a\\"b\\\\c\\nd"');
  expect(text.endsWith('\n')).toBe(true);
});
