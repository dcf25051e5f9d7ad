import { expect, it } from 'vitest';
import { loadSettings } from './load-settings.js';

const KEY = Buffer.alloc(32, 1).toString('base64');
const PRODUCTION = {
  PUBLIC_URL: 'http://127.0.0.1:3000',
  DATABASE_URL: 'postgres://db:5432/platform',
  SECRETS_MASTER_KEYS: `a:${KEY}`,
};

it.each([
  [{}, 'http://localhost:3000'],
  [{ HOST: 'localhost', PORT: '80' }, 'http://localhost:80'],
  [{ HOST: '::1' }, 'http://localhost:3000'],
  [{ HOST: '0.0.0.0' }, 'http://localhost:3000'],
  [{ HOST: '::' }, 'http://localhost:3000'],
  [{ HOST: '192.0.2.1' }, 'http://192.0.2.1:3000'],
  [{ HOST: '2001:db8::1' }, 'http://[2001:db8::1]:3000'],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com/' }, 'https://api.example.com'],
])('derives from %j the address %s', (environment, url) => {
  expect(loadSettings(environment).PUBLIC_URL).toBe(url);
});

it.each([
  [{ DATABASE_LISTEN_URL: 'postgres://db:5432/platform' }, 'DATABASE_LISTEN_URL needs DATABASE_URL'],
  [{ AI_ADAPTER: 'openai' }, 'AI_ADAPTER openai needs AI_BASE_URL and AI_MODEL'],
  [{ AI_ADAPTER: 'openai', AI_MODEL: 'm' }, 'AI_ADAPTER openai needs AI_BASE_URL and AI_MODEL'],
  [
    { AI_ADAPTER: 'openai', AI_MODEL: 'm', AI_BASE_URL: 'http://localhost:1/v1' },
    'AI_BASE_URL expects https',
  ],
  [{ AI_ADAPTER: 'gpt' }, 'AI_ADAPTER'],
  [{ BOOTSTRAP_ORG: 'Acme Inc' }, 'BOOTSTRAP_ORG expects a slug'],
  [{ BOOTSTRAP_ADMIN_EMAIL: 'admin' }, 'BOOTSTRAP_ADMIN_EMAIL expects an e-mail address'],
  [
    { SECRETS_MASTER_KEYS: `a:${KEY},b:${KEY},a:${KEY}` },
    'SECRETS_MASTER_KEYS has two keys with the same name',
  ],
  [{ SECRETS_MASTER_KEYS: `a:${KEY.slice(4)}` }, 'SECRETS_MASTER_KEYS expects id:base64 entries of 32 bytes'],
  [{ SECRETS_MASTER_KEYS: KEY }, 'SECRETS_MASTER_KEYS expects id:base64 entries of 32 bytes'],
  [{ JWKS_KTY: 'EC' }, 'JWKS_ALG RS256 does not work with keys of JWKS_KTY EC'],
  [
    { NODE_ENV: 'production', PUBLIC_URL: 'http://api.example.com' },
    'PUBLIC_URL must be https in production',
  ],
  [{ AI_COST_PER_DAY: '100' }, 'AI_COST_PER_DAY needs AI_INPUT_PRICE and AI_OUTPUT_PRICE'],
])('prevents the start for %j, and states the reason', (environment, reason) => {
  expect(() => loadSettings(environment)).toThrow(reason);
});

it.each([
  [{}, 'on'],
  [{ PUBLIC_URL: 'http://localhost:3000' }, 'on'],
  [{ PUBLIC_URL: 'http://[::1]:3000' }, 'on'],
  [{ PUBLIC_URL: 'https://api.example.com' }, 'off'],
  [{ PUBLIC_URL: 'https://localhost.example.com' }, 'off'],
  [{ NODE_ENV: 'production', ...PRODUCTION }, 'off'],
  [{ OIDC_DYNAMIC_REGISTRATION: 'off' }, 'off'],
  [{ OIDC_DYNAMIC_REGISTRATION: 'on', PUBLIC_URL: 'https://api.example.com' }, 'on'],
])('lets clients register themselves with %j: %s', (environment, expected) => {
  expect(loadSettings(environment).OIDC_DYNAMIC_REGISTRATION).toBe(expected);
});
