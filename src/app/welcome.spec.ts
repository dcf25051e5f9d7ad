import { describe, expect, it } from 'vitest';
import { loadSettings } from '../platform/config/load-settings.js';
import { welcome } from './welcome.js';

const CREDENTIALS = {
  url: 'https://api.example.com',
  orgSlug: 'acme',
  userId: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182',
  accessToken: 'at:example',
  orgApiKey: 'iak_acme_example',
  signInUrl: 'https://api.example.com/v2/user/webSession?ticket=example',
};
const SECRET = /at:example|iak_acme|ticket=/;
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/platform',
  PUBLIC_URL: 'https://api.example.com',
  SECRETS_MASTER_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
};
const shown = (environment: Record<string, string>, credentials = CREDENTIALS) =>
  welcome(loadSettings(environment), credentials);

describe('the first start', () => {
  it('shows the credentials outside production, also if BOOTSTRAP_FILE contains them', () => {
    for (const environment of [{}, { BOOTSTRAP_FILE: '/run/first.json' }] as Record<string, string>[]) {
      const screen = shown(environment);
      for (const each of ['at:example', 'iak_acme_example', CREDENTIALS.signInUrl]) {
        expect(screen).toContain(each);
      }
      expect(screen).not.toContain('revoke');
    }
  });

  it('shows only the path of BOOTSTRAP_FILE in production if the file contains the credentials', () => {
    const screen = shown({ ...PRODUCTION, BOOTSTRAP_FILE: '/run/first.json' });
    expect(screen).not.toMatch(SECRET);
    expect(screen).toContain('\n/run/first.json\n');
  });

  it('shows them in production if there is no other place, with the advice to replace them', () => {
    const screen = shown(PRODUCTION);
    expect(screen).toMatch(SECRET);
    expect(screen).toContain('DELETE /v2/orgs/acme/api-keys/{keyId}');
  });
});

describe('a runtime alone', () => {
  const RUNTIME = { PLATFORM_ROLES: 'runtime', PORT: '3001' };

  it('names its own address for /v1, and the gateway at PUBLIC_URL for everything else', () => {
    const screen = shown({ ...RUNTIME, PUBLIC_URL: 'https://api.example.com' });
    expect(screen).toContain('Address       http://127.0.0.1:3001, for /v1 alone');
    expect(screen).toContain('Gateway       https://api.example.com,');
    expect(screen).toContain(CREDENTIALS.signInUrl);
    expect(screen.match(/curl .*? "[^"]+/g)?.every(each => each.includes('http://127.0.0.1:3001/v1'))).toBe(
      true,
    );
  });

  it('does not show a link without a gateway that could serve it', () => {
    const screen = shown(RUNTIME);
    expect(screen).not.toMatch(/ticket=|:3001\/docs/);
    expect(screen).toContain('PUBLIC_URL');
  });

  it('shows the same addresses at every later start, without credentials', () => {
    const screen = welcome(loadSettings(RUNTIME), undefined);
    expect(screen).toContain('Address       http://127.0.0.1:3001, for /v1 alone');
    expect(screen).not.toMatch(SECRET);
  });
});

it('names neither the console nor Swagger UI if they are off', () => {
  const screen = shown({ CONSOLE: 'off', DOCS: 'off' });
  expect(screen).not.toMatch(/Console|Swagger/);
});

it('a gateway, alone or not, names PUBLIC_URL for everything', () => {
  const runtime = { RUNTIME_URL: 'http://runtime:3000' };
  for (const roles of ['gateway', 'gateway,runtime']) {
    const screen = shown({ ...runtime, PLATFORM_ROLES: roles, PUBLIC_URL: 'https://api.example.com' });
    expect(screen).toContain('Console       https://api.example.com/console');
    expect(screen).toContain('Swagger UI    https://api.example.com/docs');
    expect(screen).toContain('"https://api.example.com/v1/collections"');
    expect(screen).not.toContain('127.0.0.1');
  }
});
