import { describe, expect, it } from 'vitest';
import { sentCredential } from './sent-credential.js';

/** A request as node:http shows it: of a repeated header `headers` holds the first value, `rawHeaders` all. */
function request(...rawHeaders: [string, string][]) {
  const headers: Record<string, string> = {};
  for (const [name, value] of rawHeaders) headers[name.toLowerCase()] ??= value;
  return { headers, rawHeaders: rawHeaders.flat() };
}

function refusal(...rawHeaders: [string, string][]): unknown {
  try {
    return sentCredential(request(...rawHeaders));
  } catch (error) {
    return (error as { status: number }).status;
  }
}

describe('the credential of a request', () => {
  it.each([
    ['Bearer a.b.c', 'jwt', 'a.b.c'],
    ['bearer a.b.c', 'jwt', 'a.b.c'],
    ['Bearer at:abc', 'access-token', 'at:abc'],
    ['Bearer AT:abc', 'jwt', 'AT:abc'],
    ['Bearer iak_acme_1', 'jwt', 'iak_acme_1'],
  ])('in Authorization: %s belongs to the strategy %s', (header, strategy, raw) => {
    expect(sentCredential(request(['Authorization', header]))).toEqual({ strategy, raw, fromCookie: false });
  });

  it('in x-platform-api-key is an organization key', () => {
    expect(sentCredential(request(['X-Platform-Api-Key', 'iak_acme_1']))).toEqual({
      strategy: 'org-api-key',
      raw: 'iak_acme_1',
      fromCookie: false,
    });
  });

  it('in the cookie is a JWT', () => {
    expect(sentCredential(request(['Cookie', 'a=b; access-token=x.y.z; c=d']))).toEqual({
      strategy: 'jwt',
      raw: 'x.y.z',
      fromCookie: true,
    });
  });

  it('in a header has precedence over the cookie, even when the header is invalid', () => {
    const cookie: [string, string] = ['Cookie', 'access-token=x.y.z'];
    expect(sentCredential(request(cookie, ['Authorization', 'Bearer a.b.c'])).raw).toBe('a.b.c');
    expect(refusal(cookie, ['Authorization', 'Basic dTpw'])).toBe(401);
    expect(refusal(cookie, ['x-platform-api-key', ''])).toBe(401);
  });

  it('is refused with 400 when two headers contain one', () => {
    expect(refusal(['authorization', 'Bearer a.b.c'], ['x-platform-api-key', 'iak_acme_1'])).toBe(400);
    expect(refusal(['authorization', ''], ['x-platform-api-key', ''])).toBe(400);
  });

  it.each<[string, [string, string][]]>([
    ['nothing', []],
    [
      'a repeated Authorization',
      [
        ['Authorization', 'Bearer a.b.c'],
        ['authorization', 'Bearer a.b.c'],
      ],
    ],
    [
      'a repeated key',
      [
        ['x-platform-api-key', 'iak_a_1'],
        ['X-Platform-Api-Key', 'iak_a_1'],
      ],
    ],
    ['another scheme', [['Authorization', 'Basic dTpw']]],
    ['a scheme alone', [['Authorization', 'Bearer']]],
    ['no scheme', [['Authorization', 'a.b.c']]],
    ['two tokens', [['Authorization', 'Bearer a.b.c, Bearer d.e.f']]],
    ['a tab', [['Authorization', 'Bearer\ta.b.c']]],
    ['a key of no known kind', [['x-platform-api-key', 'sas_acme_1']]],
    ['a key in another case', [['x-platform-api-key', 'IAK_acme_1']]],
    ['the cookie twice', [['Cookie', 'access-token=x.y.z; access-token=a.b.c']]],
    ['a cookie of a longer name', [['Cookie', 'my-access-token=x.y.z']]],
  ])('is refused with 401: %s', (_, headers) => {
    expect(refusal(...headers)).toBe(401);
  });
});

it('white space in a cookie is removed only around it, in a time that grows with its length', () => {
  const spaces = ' \t'.repeat(1_000_000);
  expect(refusal(['Cookie', `a${spaces}b;${spaces}c${spaces};`])).toBe(401);
  const { raw } = sentCredential(request(['Cookie', `a=b;${spaces}access-token=x.y.z${spaces};c`]));
  expect(raw).toBe('x.y.z');
});
