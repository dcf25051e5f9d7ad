import { expect, it } from 'vitest';
import { loadSettings } from './load-settings.js';

it.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ HOST: 'localhost', PORT: '80' }, 'http://localhost:80'],
  [{ HOST: '::1' }, 'http://[::1]:3000'],
  [{ HOST: '0.0.0.0' }, 'http://127.0.0.1:3000'],
  [{ HOST: '::' }, 'http://127.0.0.1:3000'],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com/' }, 'https://api.example.com'],
])('makes of %j the address %s', (environment, url) => {
  expect(loadSettings(environment).PUBLIC_URL).toBe(url);
});
