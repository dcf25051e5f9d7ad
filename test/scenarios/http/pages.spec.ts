import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Bootstrap } from '../../../src/app/bootstrap.js';
import { startApp, startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

function expectPage({ headers, text }: TestResponse): void {
  expect(headers.get('content-type')).toContain('text/html');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).toContain('<html lang="en">');
  expect(text).toContain('name="viewport"');
  expect(text.match(/<h1>/g)).toHaveLength(1);
  expect(text).not.toMatch(/<script|\son\w+=|style="/);
}

describe('the root path', () => {
  it('redirects browsers to the console', async () => {
    const { status, headers } = await app.request('GET', '/', { headers: BROWSER });
    expect([status, headers.get('location')]).toEqual([302, '/console']);
    expect(headers.get('vary')).toBe('Origin, Accept');
  });

  it('shows in a browser what the service is and where to continue if there is no console', async () => {
    const bare = await startOwnApp({ database: 'own', environment: { CONSOLE: 'off' } });
    onTestFinished(() => bare.close());
    const page = await bare.request('GET', '/', { headers: BROWSER });
    expect(page.status).toBe(200);
    expectPage(page);
    expect(page.text).toContain('href="/docs"');
    expect(page.text).toContain('npm run cli -- sign-in');
    for (const path of ['/console', '/console/theme.js'])
      expect((await bare.request('GET', path)).status).toBe(404);
    expect(new URL(bare.bootstrap.signInUrl).searchParams.get('redirect')).toBe(`${bare.url}/docs`);
  });

  it.each([undefined, '*/*', 'application/json'])(
    'answers JSON to a program that accepts %s',
    async accept => {
      const { status, body, headers } = await app.request('GET', '/', { headers: accept ? { accept } : {} });
      expect(status).toBe(200);
      expect(headers.get('vary')).toBe('Origin, Accept');
      expect(body).toEqual({
        name: 'typed-collections',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        links: {
          collections: '/v1/collections',
          mcp: '/v1/mcp',
          health: '/health/ready',
          docs: '/docs',
          openapi: '/openapi.json',
        },
      });
    },
  );
});

describe('a sign-in link that is not valid', () => {
  const link = async () => {
    const token = await ownerSession();
    const minted = await app.request('POST', '/v2/user/webSessionTicket', {
      token,
      body: { redirect: '/docs' },
    });
    expect(minted.status).toBe(201);
    const { pathname, search } = new URL(minted.body.url);
    return { path: pathname + search, ticket: minted.body.ticket as string };
  };
  const ownerSession = async () => {
    const { search } = new URL(await app.nest.get(Bootstrap).signInUrl(app.bootstrap.userId));
    const entered = await app.request('GET', `/v2/user/webSession${search}`, { headers: BROWSER });
    expect(entered.status).toBe(302);
    return /access-token=([^;]+)/.exec(entered.headers.get('set-cookie') ?? '')?.[1] as string;
  };

  it('shows in a browser how to get another one, and never the ticket', async () => {
    const { path, ticket } = await link();
    expect((await app.request('GET', path, { headers: BROWSER })).status).toBe(302);
    const used = await app.request('GET', path, { headers: BROWSER });
    expect(used.status).toBe(401);
    expectPage(used);
    expect(used.text).toContain('Each link works once');
    expect(used.text).toContain('npm run cli -- sign-in');
    expect(used.text).not.toContain(ticket);
    expect(used.headers.get('set-cookie')).toBeNull();
  });

  it('leads the browser on to the sign-in page of the console, with the page that the link was for', async () => {
    const refresh = async (redirect: string) => {
      const query = new URLSearchParams({ redirect, ticket: 'never' });
      const { headers } = await app.request('GET', `/v2/user/webSession?${query}`, { headers: BROWSER });
      return headers.get('refresh');
    };
    const signIn = '0; url=/console/sign-in?';
    expect(await refresh('/console/collections?q=a')).toBe(
      `${signIn}next=%2Fconsole%2Fcollections%3Fq%3Da&failed=link&error=Unauthorized`,
    );
    for (const hostile of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      expect(await refresh(hostile)).toBe(`${signIn}failed=link&error=InvalidArguments`);
    }
  });

  it('leads nowhere with CONSOLE=off', async () => {
    const off = await startOwnApp({ environment: { CONSOLE: 'off' } });
    const path = '/v2/user/webSession?redirect=%2Fdocs&ticket=never';
    const { status, headers, text } = await off.request('GET', path, { headers: BROWSER });
    expect([status, headers.get('refresh')]).toEqual([401, null]);
    expect(text).not.toContain('/console');
    await off.close();
  });

  it('shows the same page if it never existed', async () => {
    const path = '/v2/user/webSession?redirect=%2Fdocs&ticket=never';
    const unknown = await app.request('GET', path, { headers: BROWSER });
    expect(unknown.status).toBe(401);
    expect(unknown.text).toContain('Each link works once');
  });

  it('is escaped on the page when it is refused with 400', async () => {
    const path = `/v2/user/webSession?ticket=x&redirect=${encodeURIComponent('https://evil.example/<script>')}`;
    const page = await app.request('GET', path, { headers: BROWSER });
    expect(page.status).toBe(400);
    expectPage(page);
  });

  it('is answered in JSON to a program', async () => {
    const { status, body } = await app.request('GET', '/v2/user/webSession?redirect=%2Fdocs&ticket=never');
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  });
});

describe('an address without a route', () => {
  it('shows a browser where the start page is', async () => {
    const page = await app.request('GET', '/no/such/<page>', { headers: BROWSER });
    expect(page.status).toBe(404);
    expectPage(page);
    expect(page.text).toContain('<a href="/">');
    expect(page.text).not.toContain('such');
  });

  it.each(['POST', 'DELETE'])('is answered in JSON to %s', async method => {
    const { status, body } = await app.request(method, '/no/such/page', { headers: BROWSER });
    expect([status, body.error]).toEqual([404, 'NotFound']);
  });

  it('is answered in JSON to a program', async () => {
    const { status, body } = await app.request('GET', '/no/such/page');
    expect([status, body.error]).toEqual([404, 'NotFound']);
  });
});

it('answers a refusal by a route of the API in JSON, because people do not open it by a link', async () => {
  const { status, body } = await app.request('GET', '/v1/collections', { headers: BROWSER });
  expect([status, body.error]).toEqual([401, 'Unauthorized']);
});
