import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApp, startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { rawRequest } from './raw-request.js';

const BUILT = join(process.cwd(), 'dist/console');
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let app: TestApp;
let script: string;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'console'], { stdio: 'inherit' });
  app = await startApp();
  const manifest = JSON.parse(readFileSync(join(BUILT, '.vite/manifest.json'), 'utf8'));
  script = manifest['index.html'].file;
});

const get = (path: string, headers: Record<string, string> = BROWSER) =>
  app.request('GET', path, { headers });

function expectIndex({ status, headers, text }: TestResponse): void {
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html;charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(text).toBe(readFileSync(join(BUILT, 'index.html'), 'utf8'));
}

describe('the console', () => {
  it.each([
    '/console',
    '/console/',
    '/console/collections',
    '/console/collections/books?record=x.y',
    '/console/a/b.c',
  ])('opens at %s for a browser, without a credential', async path => expectIndex(await get(path)));

  it('has a policy that allows nothing inline and nothing of another origin', async () => {
    for (const path of ['/console', '/console/collections', `/console/${script}`]) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')?.split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "object-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
      ]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    const { text } = await get('/console');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it('does not lend its policy to other answers', async () => {
    for (const path of ['/v2/me', '/v1/collections', '/health/live', '/consoles']) {
      const { headers } = await get(path, {});
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
    }
  });

  it('answers a program that asks for a page that is not a file with 404 and JSON', async () => {
    const { status, body, headers } = await get('/console/collections', { accept: 'application/json' });
    expect([status, body.error]).toEqual([404, 'NotFound']);
    expect(headers.get('cache-control')).toBeNull();
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s', async method => {
    const { status, headers } = await app.request(method, '/console/collections', { headers: BROWSER });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the files of the console', () => {
  it('are kept for a year by browsers if their name has a hash, and revalidated otherwise', async () => {
    expect((await get(`/console/${script}`)).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    );
    for (const path of ['/console/theme.js', '/console/favicon.svg', '/console/licenses.txt'])
      expect((await get(path)).headers.get('cache-control'), path).toBe('no-cache');
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are sent compressed as %s', async (coding, decompress) => {
    const { headers, body } = await rawRequest(app, `/console/${script}`, { 'accept-encoding': coding });
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Origin, Accept-Encoding']);
    expect(headers['content-type']).toMatch(/^text\/javascript/);
    expect(decompress(body)).toEqual(readFileSync(join(BUILT, script)));
    const page = await rawRequest(app, '/console/collections', { ...BROWSER, 'accept-encoding': coding });
    expect(decompress(page.body)).toEqual(readFileSync(join(BUILT, 'index.html')));
  });

  it('are sent as they are to a client that accepts no coding', async () => {
    const { headers, body } = await rawRequest(app, `/console/${script}`, {});
    expect(headers['content-encoding']).toBeUndefined();
    expect(body).toEqual(readFileSync(join(BUILT, script)));
  });

  it('are answered with 304 if the client has them', async () => {
    for (const path of ['/console', '/console/collections', '/console/theme.js', `/console/${script}`]) {
      const { headers } = await get(path);
      const etag = headers.get('etag') as string;
      const again = await get(path, { ...BROWSER, 'if-none-match': etag });
      expect([path, again.status, again.text]).toEqual([path, 304, '']);
      expect((await get(path, { ...BROWSER, 'if-none-match': 'W/"other"' })).status).toBe(200);
    }
  });

  it('answer HEAD with the headers of GET alone', async () => {
    for (const path of ['/console', `/console/${script}`]) {
      const whole = await rawRequest(app, path, BROWSER);
      const head = await rawRequest(app, path, BROWSER, 'HEAD');
      expect(head.body).toHaveLength(0);
      expect(head.status).toBe(200);
      expect(head.headers['content-length']).toBe(String(whole.body.length));
    }
  });

  it('are sent as a whole whatever range is asked for', async () => {
    for (const range of ['bytes=5-2', 'bytes=-5', 'bytes=x', 'bytes=0-3']) {
      const { status, text } = await get('/console/theme.js', { range });
      expect([range, status, text]).toEqual([range, 200, readFileSync(join(BUILT, 'theme.js'), 'utf8')]);
    }
  });

  it.each(['/console/assets/none.js', '/console/assets/', '/console/assets/../../package.json'])(
    'are 404 at %s, for browsers too',
    async path => {
      const { status, headers, text } = await rawText(path);
      expect(status).toBe(404);
      expect(headers['cache-control']).toBeUndefined();
      expect(text).not.toContain('dependencies');
    },
  );

  it.each([
    '/console/../package.json',
    '/console/..%2fpackage.json',
    '/console/%2e%2e/package.json',
    '/console//etc/passwd',
    '/console/.vite/manifest.json',
    '/console/%2evite/manifest.json',
    '/console/..\\package.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/%00',
  ])('do not include what is at %s', async path => {
    const { text } = await rawText(path);
    expect(text).not.toMatch(/dependencies|root:|isEntry/);
  });
});

async function rawText(path: string) {
  const { status, headers, body } = await rawRequest(app, path, BROWSER);
  return { status, headers, text: body.toString() };
}

it('is not counted by the rate limits', async () => {
  const limited = await startOwnApp({ database: 'own', environment: { RATE_LIMITS: 'on' } });
  onTestFinished(() => limited.close());
  for (let round = 0; round < 200; round++)
    expect((await limited.request('GET', '/console', { headers: BROWSER })).status).toBe(200);
});
