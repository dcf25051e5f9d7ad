import { describe, expect, it } from 'vitest';
import { refusalOf } from './dns-rebinding.guard.js';

const DOORS = {
  hosts: ['api.example.com', '[::1]'],
  admits: (origin: string) => origin === 'https://console.example.com',
};
const refusal = (host: string | undefined, origin?: string) =>
  refusalOf({ host, ...(origin !== undefined && { origin }) }, DOORS);

describe('the guard', () => {
  it.each(['api.example.com', 'api.example.com:8443', 'API.example.com', '[::1]:3000'])(
    'admits the host name %s',
    host => expect(refusal(host)).toBeUndefined(),
  );

  it.each([
    ...[undefined, '', 'evil.example', 'api.example.com.evil.example', 'x@api.example.com@evil', '::1'],
    ...['x@api.example.com', 'api.example.com/x', 'api.example.com?x', 'api.example.com#x'],
  ])('refuses the host name %s', host => expect(refusal(host)).toContain('host'));

  it('admits pages of exactly the allowed origins, and clients that are not pages', () => {
    expect(refusal('api.example.com', 'https://console.example.com')).toBeUndefined();
    for (const origin of [
      'null',
      'http://console.example.com',
      'https://console.example.com:444',
      'https://api.example.com',
    ]) {
      expect([origin, refusal('api.example.com', origin)]).toEqual([
        origin,
        expect.stringContaining('origin'),
      ]);
    }
  });
});
