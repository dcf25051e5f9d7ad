import { expect, it } from 'vitest';
import { VERSION } from '../../../src/base/kernel/version.js';
import { startApp } from '../../harness/app.js';

it.each([
  ['GET', '/', 200],
  ['GET', '/health/live', 200],
  ['GET', '/v1/collections', 401],
  ['GET', '/nowhere', 404],
  ['GET', '/v2/orgs', 401],
  ['PUT', '/v1/collections', 405],
])('the response to %s %s (%i) has the version of the service', async (method, path, status) => {
  const app = await startApp();
  const response = await app.request(method, path);
  expect(response.status).toBe(status);
  expect(response.headers.get('x-service-version')).toBe(VERSION);
});

it('pages of other origins may read the version of the service', async () => {
  const app = await startApp();
  const headers = { origin: 'http://localhost:5173' };
  const response = await app.request('GET', '/v1/collections', { headers });
  expect(response.headers.get('access-control-expose-headers')?.split(', ')).toContain('x-service-version');
});
