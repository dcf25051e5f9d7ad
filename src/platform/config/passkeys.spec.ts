import { expect, it } from 'vitest';
import { loadSettings } from './load-settings.js';
import { passkeysAreOn, relyingPartyOf } from './passkeys.js';

it.each([
  [{}, true],
  [{ PUBLIC_URL: 'http://console.localhost:3000' }, true],
  [{ PUBLIC_URL: 'https://api.example.com' }, true],
  [{ PUBLIC_URL: 'http://127.0.0.1:3000' }, false],
  [{ PUBLIC_URL: 'https://192.0.2.1' }, false],
  [{ PUBLIC_URL: 'https://[2001:db8::1]' }, false],
  [{ PUBLIC_URL: 'http://api.example.com' }, false],
  [{ PASSKEYS: 'off' }, false],
])('with %j, passkeys are on: %s', (environment, expected) => {
  expect(passkeysAreOn(loadSettings(environment))).toBe(expected);
});

it('takes RP ID and origin from PUBLIC_URL', () => {
  expect(relyingPartyOf({ PUBLIC_URL: 'https://api.example.com:8443' })).toEqual({
    id: 'api.example.com',
    origin: 'https://api.example.com:8443',
  });
});
