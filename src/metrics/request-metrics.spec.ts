import { expect, it } from 'vitest';
import type { PlatformRequest } from '../http/platform-request.js';
import { requestMetrics } from './request-metrics.js';

const noted: unknown[][] = [];
const note = requestMetrics({ observe: (...values: unknown[]) => void noted.push(values) });
const request = (path: unknown) =>
  ({ method: 'GET', path: '/v1/collections/7', route: path && { path } }) as unknown as PlatformRequest;

it('a request is noted under its pattern and the class of its status, one without a route under none', () => {
  note(request('/v1/collections/:collection_id'), 404, 12.5);
  note(request(undefined), 499, 1000);
  note(request(/any/), 200, 0);
  expect(noted).toEqual([
    [{ method: 'GET', route: '/v1/collections/:collection_id', status: '4xx' }, 0.0125],
    [{ method: 'GET', route: 'none', status: '4xx' }, 1],
    [{ method: 'GET', route: 'none', status: '2xx' }, 0],
  ]);
});
