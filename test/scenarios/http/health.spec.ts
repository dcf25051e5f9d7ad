import { beforeAll, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

it('reports live and ready without credentials', async () => {
  expect(await app.request('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'live' } });
  expect(await app.request('GET', '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

it('requires no credentials and ignores wrong ones', async () => {
  expect((await app.request('GET', '/health/live', { token: 'wrong' })).status).toBe(200);
});

it.each(['POST', 'PUT', 'DELETE'])('refuses %s and lists the allowed methods', async method => {
  const answer = await app.request(method, '/health/ready');
  expect(answer).toMatchObject({ status: 405, body: { error: 'MethodNotAllowed' } });
  expect(answer.headers.get('allow')).toContain('GET');
});

it('reports live but not ready while a migration of this version is pending, with instructions', async () => {
  const own = await startOwnApp({ database: 'own' });
  try {
    await own.sql('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    const answer = await own.request('GET', '/health/ready');
    expect(answer).toMatchObject({ status: 503, body: { error: 'Unavailable' } });
    expect(answer.body.message).toContain('npm run migrate');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await own.request('GET', '/health/live')).status).toBe(200);
  } finally {
    await own.close();
  }
});
