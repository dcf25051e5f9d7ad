import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { sendRaw } from '../bad-input/raw-request.js';
import { newKey, newOrg } from '../orgs/org.js';

let app: TestApp;
let somebody: Person;
let key: string;
let accessToken: string;

beforeAll(async () => {
  app = await startApp();
  const org = await newOrg(app);
  somebody = org.owner;
  key = (await newKey(app, org)).apiKey;
  const body = { name: 'script', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  accessToken = (await app.request('POST', '/v2/user/accessTokens', { token: somebody.token, body })).body
    .token;
});

/** Sends GET /v2/me with exactly these header lines, byte for byte. */
async function sendLines(
  ...lines: (string | Buffer)[]
): Promise<{ status: number | undefined; text: string }> {
  const parts = lines.flatMap(line => [
    typeof line === 'string' ? Buffer.from(line, 'latin1') : line,
    '\r\n',
  ]);
  const { statuses, text } = await sendRaw(app.url, [
    Buffer.concat(
      ['GET /v2/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n', ...parts, '\r\n'].map(part =>
        Buffer.from(part as string),
      ),
    ),
  ]);
  expect(statuses).toHaveLength(1);
  return { status: statuses[0], text };
}

const status = async (...lines: (string | Buffer)[]) => (await sendLines(...lines)).status;
const bearer = (token: string) => `Authorization: Bearer ${token}`;

it('every credential is accepted when it is the only one', async () => {
  const lines = [
    bearer(somebody.token),
    bearer(accessToken),
    `x-platform-api-key: ${key}`,
    `Cookie: access-token=${somebody.token}`,
  ];
  for (const line of lines) expect(await status(line)).toBe(200);
  expect(await status(`AUTHORIZATION: bearer ${somebody.token}`)).toBe(200);
  expect(await status(`X-PLATFORM-API-KEY:${key}`)).toBe(200);
});

describe('two credentials in headers', () => {
  it('are refused with 400, whatever their kinds, order and validity', async () => {
    const bearers = [somebody.token, accessToken, 'wrong', 'at:wrong', ''];
    const keys = [key, 'iak_wrong', 'wak_wrong', ''];
    for (const token of bearers) {
      for (const each of keys) {
        const [one, two] = [bearer(token), `x-platform-api-key: ${each}`];
        const answers = [await sendLines(one, two), await sendLines(two, one)];
        expect(answers.map(answer => answer.status)).toEqual([400, 400]);
        expect(answers[0]?.text).toContain('"error":"InvalidArguments"');
        for (const secret of [token, each].filter(text => text.length > 10))
          expect(answers[0]?.text).not.toContain(secret);
      }
    }
  });

  it('are refused with 401 when one header is repeated, with equal or different values', async () => {
    const other = await person(app);
    for (const second of [somebody.token, other.token, accessToken, 'wrong', '']) {
      expect(await status(bearer(somebody.token), bearer(second))).toBe(401);
      expect(await status(bearer(second), bearer(somebody.token))).toBe(401);
    }
    for (const second of [key, 'iak_wrong', '']) {
      expect(await status(`x-platform-api-key: ${key}`, `X-Platform-Api-Key: ${second}`)).toBe(401);
    }
    expect(await status(`${bearer(somebody.token)}, Bearer ${somebody.token}`)).toBe(401);
    expect(await status(`x-platform-api-key: ${key}, ${key}`)).toBe(401);
    expect(await status(`x-platform-api-key: ${key},`)).toBe(401);
  });

  it('do not let a cookie replace an invalid header, or one cookie another', async () => {
    const cookie = `access-token=${somebody.token}`;
    for (const bad of [
      bearer('wrong'),
      'Authorization: ',
      'Authorization: Basic dTpw',
      'x-platform-api-key: ',
      'x-platform-api-key: x',
    ]) {
      expect(await status(bad, `Cookie: ${cookie}`)).toBe(401);
    }
    for (const cookies of [`${cookie}; ${cookie}`, `access-token=x; ${cookie}`, `${cookie}; access-token=`]) {
      expect(await status(`Cookie: ${cookies}`)).toBe(401);
    }
    expect(await status(`Cookie: ${cookie}`, `Cookie: ${cookie}`)).toBe(401);
    expect(await status(`Cookie: xaccess-token=${somebody.token}`)).toBe(401);
    expect(await status(`Cookie: Access-Token=${somebody.token}`)).toBe(401);
    expect(await status(`Cookie: __Host-access-token=${somebody.token}`)).toBe(401);
  });
});

describe('a credential in an unusual header', () => {
  it('is refused when it contains bytes that are not ASCII, and the service goes on', async () => {
    const bytes = [0x80, 0xa0, 0xad, 0xc3, 0xe9, 0xff].map(byte => Buffer.from([byte]));
    for (const byte of [
      ...bytes,
      Buffer.from('é'),
      Buffer.from('🔑'),
      Buffer.from('\u200b'),
      Buffer.from('\ufeff'),
    ]) {
      for (const [name, value] of [
        ['Authorization: Bearer ', somebody.token],
        ['x-platform-api-key: ', key],
        ['Cookie: access-token=', somebody.token],
      ] as const) {
        const start = Buffer.from(name);
        expect(await status(Buffer.concat([start, byte, Buffer.from(value)]))).toBe(401);
        expect(await status(Buffer.concat([start, Buffer.from(value), byte]))).toBe(401);
      }
      expect([400, 401]).toContain(await status(Buffer.concat([byte, Buffer.from(bearer(somebody.token))])));
    }
    expect(await status(bearer(somebody.token))).toBe(200);
  });

  it('is refused as invalid HTTP when it contains control characters or a folded line', async () => {
    for (const odd of ['\0', '\x01', '\x7f', '\x0b', '\x1b']) {
      for (const line of [`${bearer(somebody.token)}${odd}`, `x-platform-api-key: ${odd}${key}`]) {
        expect([400, 401]).toContain(await status(line));
      }
    }
    expect([400, 401]).toContain(await status('Authorization: Bearer', ` ${somebody.token}`));
    expect(await status(`Authorization : Bearer ${somebody.token}`)).toBe(400);
    expect([400, 401]).toContain(await status(` Authorization: Bearer ${somebody.token}`));
  });

  it('is ignored when the header name only resembles a known one', async () => {
    for (const name of [
      'x_platform_api_key',
      'x-platform-api-key2',
      'x-platform-apikey',
      'x-api-key',
      'api-key',
      'X-Platform-API-Key\t',
    ]) {
      expect([400, 401]).toContain(await status(`${name}: ${key}`));
    }
    for (const name of [
      'Authorisation',
      'Proxy-Authorization',
      'X-Authorization',
      'HTTP_AUTHORIZATION',
      'Authentication',
    ]) {
      expect(await status(`${name}: Bearer ${somebody.token}`)).toBe(401);
    }
    for (const name of [
      'x-platform-user-id',
      'x-platform-session-id',
      'x-platform-identity',
      'x-forwarded-user',
      'remote-user',
    ]) {
      expect(await status(`${name}: ${somebody.userId}`)).toBe(401);
    }
  });

  it('is refused with 401 or 431 within the time limit when it has 64 kB, and the service goes on', async () => {
    for (const line of [
      bearer('a'.repeat(65_536)),
      bearer(`at:${'a'.repeat(65_536)}`),
      `x-platform-api-key: iak_${'a'.repeat(65_536)}`,
      `Cookie: ${'a=b; '.repeat(13_000)}access-token=${somebody.token}`,
      `${'a'.repeat(65_536)}: b`,
    ]) {
      expect(await status(line)).toBe(431);
    }
    for (const line of [
      bearer('a.'.repeat(6_000)),
      bearer(`${'e'.repeat(6_000)}.${'e'.repeat(6_000)}.e`),
      `x-platform-api-key: iak_${'a_'.repeat(6_000)}`,
      `Cookie: access-token=${'a'.repeat(12_000)}`,
    ]) {
      expect(await status(line)).toBe(401);
    }
    expect(await status(bearer(somebody.token))).toBe(200);
  });

  it('is trimmed as HTTP prescribes, and not changed in any other way', async () => {
    expect(await status(`Authorization: \t Bearer   ${somebody.token} \t`)).toBe(200);
    expect(await status(`x-platform-api-key:\t ${key} \t`)).toBe(200);
    for (const line of [
      `Authorization: Bearer\t${somebody.token}`,
      `Authorization: Bearer ${somebody.token} x`,
      `Authorization: Bearer "${somebody.token}"`,
      `Authorization: Bearer${somebody.token}`,
      `Authorization: ${somebody.token}`,
      `x-platform-api-key: "${key}"`,
      `x-platform-api-key: ${key.replace('_', ' _')}`,
      `x-platform-api-key: Bearer ${key}`,
    ]) {
      expect(await status(line)).toBe(401);
    }
  });
});
