import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../app/app.js';
import { run, scratchDirectory } from '../start/service.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

it('serves Swagger UI to everybody, and everything it loads', async () => {
  const page = await app.request('GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const parts = [...page.text.matchAll(/(?:src|href)="\.?\/?([^":]+)"/g)].map(([, path]) => path as string);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect((await app.request('GET', `/docs/${part.replace(/^docs\//, '')}`)).status).toBe(200);
  }
});

it('serves the OpenAPI description, with both security schemes and an operation id on every route', async () => {
  const { status, body } = await app.request('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(Object.keys(body.components.securitySchemes).sort()).toEqual(['BearerAuth', 'OrgApiKeyAuth']);
  const operations = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap(path =>
    Object.values(path),
  );
  const ids = operations.map(each => each.operationId);
  expect(ids.length).toBeGreaterThan(30);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['createCollection', 'insertRecords', 'listApiKeys']));
});

it('is described the same by the command, which needs no database', async () => {
  const file = join(await scratchDirectory(), 'openapi.json');
  const unreachable = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  expect(await run('cli.js', ['openapi', file], unreachable)).toMatchObject({ status: 0 });
  const written = JSON.parse(await readFile(file, 'utf8'));
  expect(written).toEqual((await app.request('GET', '/openapi.json')).body);
  expect(Object.keys(written.paths)).toEqual(Object.keys(written.paths).sort());
});

it('serves neither with DOCS=off, and sign-in links then lead to the root', async () => {
  const silent = await startOwnApp({ database: 'own', environment: { DOCS: 'off' } });
  onTestFinished(() => silent.close());
  for (const path of ['/docs', '/docs/', '/docs/swagger-ui.css', '/openapi.json']) {
    expect([path, (await silent.request('GET', path)).status]).toEqual([path, 404]);
  }
  expect(new URL(silent.bootstrap.signInUrl).searchParams.get('redirect')).toBe(`${silent.url}/`);
});
