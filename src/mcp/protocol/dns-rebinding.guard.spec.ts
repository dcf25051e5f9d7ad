import { describe, expect, it } from 'vitest';
import { refusalOf } from './dns-rebinding.guard.js';

const DOORS = {
  hosts: ['api.example.com', '[::1]'],
  admits: (origin: string) => origin === 'https://console.example.com',
};
const refusal = (host: string | undefined, origin?: string) =>
  refusalOf({ host, ...(origin !== undefined && { origin }) }, DOORS);

describe('the doors', () => {
  it.each(['api.example.com', 'api.example.com:8443', 'API.example.com', '[::1]:3000'])(
    'are open under the host name %s',
    host => expect(refusal(host)).toBeUndefined(),
  );

  it.each([
    ...[undefined, '', 'evil.example', 'api.example.com.evil.example', 'x@api.example.com@evil', '::1'],
    ...['x@api.example.com', 'api.example.com/x', 'api.example.com?x', 'api.example.com#x'],
  ])('are closed under the host name %s', host => expect(refusal(host)).toContain('host'));

  it('are open to pages of exactly the admitted origins, and to what is no page', () => {
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
