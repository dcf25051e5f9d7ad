import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { run, scratchDirectory } from '../start/service.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

it('serves Swagger UI and every file that it loads without a credential', async () => {
  const page = await app.request('GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const parts = [...page.text.matchAll(/(?:src|href)="\.?\/?([^":]+)"/g)].map(([, path]) => path as string);
  expect(parts.length).toBeGreaterThan(2);
  expect(page.text).toContain('<meta name="viewport" content="width=device-width');
  for (const part of parts) {
    expect((await app.request('GET', `/${part}`)).status).toBe(200);
  }
});

it('serves the OpenAPI description, with its security schemes and an operation id on every route', async () => {
  const { status, body } = await app.request('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(body.info.version).toBe('1.0.0');
  expect(Object.keys(body.components.securitySchemes).sort()).toEqual([
    'BearerAuth',
    'OrgApiKeyAuth',
    'SessionCookie',
  ]);
  const operations = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap(path =>
    Object.values(path),
  );
  const ids = operations.map(each => each.operationId);
  expect(ids.length).toBeGreaterThan(30);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['createCollection', 'insertRecords', 'listApiKeys']));
});

it('has patterns that are valid in ECMAScript with the flag u, and between slashes', async () => {
  const { text } = await app.request('GET', '/openapi.json');
  const patterns = new Set<string>();
  JSON.parse(text, (name, value) => {
    if (name === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow();
    expect(pattern.replace(/\\./g, '')).not.toContain('/');
  }
});

it('gives the same description by command, without a database, except for example dates that stay valid for a year', async () => {
  const file = join(await scratchDirectory(), 'openapi.json');
  const unreachable = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  expect(await run('cli.js', ['openapi', file], unreachable)).toMatchObject({ status: 0 });
  const written = JSON.parse(await readFile(file, 'utf8'));
  const served = (await app.request('GET', '/openapi.json')).body;
  const { expiresAt } = served.components.schemas.MintAccessTokenBody.properties;
  const days = (Date.parse(expiresAt.example) - Date.now()) / 86_400_000;
  expect([days > 170, days < 190]).toEqual([true, true]);
  const body = served.paths['/v2/user/accessTokens'].post.requestBody.content['application/json'];
  expect(body.example.expiresAt).toBe(expiresAt.example);
  // The stored description has a fixed example, so that it is the same on every day.
  const fixed = written.components.schemas.MintAccessTokenBody.properties.expiresAt.example;
  expiresAt.example = fixed;
  body.example.expiresAt = fixed;
  expect(written).toEqual(served);
  expect(Object.keys(written.paths)).toEqual(Object.keys(written.paths).sort());
});

it('serves neither with DOCS=off; without a console sign-in links then redirect to the root', async () => {
  const silent = await startOwnApp({ database: 'own', environment: { DOCS: 'off', CONSOLE: 'off' } });
  onTestFinished(() => silent.close());
  for (const path of ['/docs', '/docs/', '/docs/swagger-ui.css', '/openapi.json']) {
    expect([path, (await silent.request('GET', path)).status]).toEqual([path, 404]);
  }
  expect(new URL(silent.bootstrap.signInUrl).searchParams.get('redirect')).toBe(`${silent.url}/`);
});

describe('the page of Swagger UI', () => {
  it('has a policy that allows scripts of this service only, while every other answer allows none', async () => {
    const page = await app.request('GET', '/docs');
    const policy = page.headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy.split('; ')).toContain("script-src 'self'");
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=|style="/);
    for (const path of ['/openapi.json', '/docs/page.js', '/health/live', '/v2/me', '/v1/nothing']) {
      const { headers } = await app.request('GET', path);
      expect(headers.get('content-security-policy'), path).toBe(
        "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
    }
  });

  it('keeps its groups closed, finds operations, and shows who is signed in', async () => {
    const { text } = await app.request('GET', '/docs/page.js');
    expect(text).toContain("docExpansion: 'none'");
    expect(text).toContain('filter: true');
    expect(text).toContain("fetch('/v2/me'");
    expect(text).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/);
  });
});

describe('files of the documentation', () => {
  const get = (path: string, headers: Record<string, string>) => app.request('GET', path, { headers });

  it.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'])(
    'are compressed as the client asks, each with a tag of its own: %s',
    async path => {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      const tags = new Set([plain.headers.get('etag')]);
      for (const [accepted, coding] of [
        ['gzip', 'gzip'],
        ['gzip, deflate, br', 'br'],
        ['br;q=0, gzip', 'gzip'],
      ] as const) {
        const packed = await get(path, { 'accept-encoding': accepted });
        expect([packed.status, packed.headers.get('content-encoding')]).toEqual([200, coding]);
        expect(packed.headers.get('vary')).toContain('Accept-Encoding');
        expect(packed.text).toBe(plain.text);
        tags.add(packed.headers.get('etag'));
      }
      expect(tags.size).toBe(3);
    },
  );

  it('compress the description to less than a fifth', async () => {
    const sizes = await Promise.all(
      ['identity', 'gzip'].map(async coding => {
        const { headers } = await get('/openapi.json', { 'accept-encoding': coding });
        return Number(headers.get('content-length'));
      }),
    );
    expect((sizes[1] as number) * 5).toBeLessThan(sizes[0] as number);
  });

  it('are answered with 304 without a body if the client has them, and with 200 if it has another version', async () => {
    const { headers } = await get('/openapi.json', { 'accept-encoding': 'br' });
    const tag = headers.get('etag') as string;
    const known = await get('/openapi.json', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${tag}` });
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', tag]);
    const other = await get('/openapi.json', { 'accept-encoding': 'gzip', 'if-none-match': tag });
    expect(other.status).toBe(200);
    expect((await app.request('HEAD', '/openapi.json')).text).toBe('');
  });
});

describe('summaries', () => {
  /** The first word of a summary ends in s only if the base form of the verb does. */
  const VERBS_IN_S = ['Pass', 'Process'];

  it('are imperative, unique, without a full stop, and without references that a reader cannot resolve', async () => {
    const { body } = await app.request('GET', '/openapi.json');
    const summaries = Object.values<Record<string, { summary: string }>>(body.paths).flatMap(path =>
      Object.values(path).map(({ summary }) => summary),
    );
    expect(summaries.length).toBeGreaterThan(100);
    for (const summary of summaries) {
      expect(summary).toMatch(/^[A-Z]/);
      expect(summary).not.toMatch(/[.?!]$|\bspec\b|\bthe same\b/);
      const verb = summary.split(/[ :]/)[0] as string;
      expect([summary, verb.endsWith('s') && !VERBS_IN_S.includes(verb)]).toEqual([summary, false]);
    }
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

it('gives every parameter a type, and JSON in a query the media type that generated clients need', async () => {
  const { paths } = (await app.request('GET', '/openapi.json')).body;
  const all = Object.values<Record<string, { parameters?: Parameter[] }>>(paths)
    .flatMap(path => Object.values(path))
    .flatMap(({ parameters = [] }) => parameters);
  const unclear = all.filter(
    ({ schema, content }) =>
      content?.['application/json'] === undefined &&
      (schema === undefined || schema.type === undefined || schema.type === 'object'),
  );
  expect(unclear.filter(each => each.schema?.anyOf === undefined && each.schema?.$ref === undefined)).toEqual(
    [],
  );
  const query = paths['/v1/collections/{collection_id}/data'].get.parameters as Parameter[];
  const named = (name: string) =>
    query.find(each => each.name === name)?.content?.['application/json']?.schema;
  expect(named('filter')).toMatchObject({ type: 'object' });
  expect(named('fields')).toEqual({
    oneOf: [expect.anything(), { type: 'array', items: { type: 'string' } }],
  });
});

interface Parameter {
  readonly name: string;
  readonly schema?: { readonly type?: string; readonly anyOf?: object[]; readonly $ref?: string };
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

it('names the refusals of a body at every operation that may be sent one, also where it takes none', async () => {
  const { paths } = (await app.request('GET', '/openapi.json')).body;
  const silent = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method, { responses }]) => method !== 'get' && !('413' in responses && '415' in responses))
      .map(([method]) => `${method} ${path}`),
  );
  expect(silent).toEqual([]);
  const text = { headers: { 'content-type': 'text/plain' }, raw: 'a text' };
  const credential = { token: app.bootstrap.accessToken };
  const path = '/v2/user/invitations/x/decline';
  expect((await app.request('POST', path, { ...credential, ...text })).status).toBe(415);
});

it('describes every parameter and every field of a schema', async () => {
  const { paths, components } = (await app.request('GET', '/openapi.json')).body;
  const parameters = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.values<{ parameters?: { name: string; description?: string }[] }>(item as never).flatMap(
      operation => (operation.parameters ?? []).map(each => [`${path} ${each.name}`, each] as const),
    ),
  );
  const fields = Object.entries<{ properties?: Record<string, object> }>(components.schemas).flatMap(
    ([schema, { properties = {} }]) =>
      Object.entries(properties).map(([name, each]) => [`${schema}.${name}`, each] as const),
  );
  expect(Math.min(parameters.length, fields.length)).toBeGreaterThan(100);
  // A field that refers to another schema is described there.
  const silent = [...parameters, ...fields].filter(([, each]) => !('description' in each || '$ref' in each));
  expect(silent.map(([name]) => name)).toEqual([]);
});
