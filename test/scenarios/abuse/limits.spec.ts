import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp, TestRequest, TestResponse } from '../../harness/app.js';
import { sendRaw } from '../bad-input/raw-request.js';
import { newKey, newOrg, type TestOrg } from '../orgs/org.js';
import { askToken, newAccount, type TestAccount } from '../service-accounts/account.js';
import { addressOf, twoInstances } from './instances.js';

const LIMIT = 5;
let app: TestApp;
let other: TestApp;
let org: TestOrg;
let account: TestAccount;
let last = 0;
/** Returns an address that no earlier test has used. */
let ip: string;

beforeAll(async () => {
  const environment = {
    RATE_LIMITS: 'on',
    TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48',
    RATE_LIMIT_ANONYMOUS: String(LIMIT),
    RATE_LIMIT_AUTH_FAILURES: '20',
  };
  [app, other] = await twoInstances({ environment });
  org = await newOrg(app);
  account = await newAccount(app, org);
});
beforeEach(() => {
  last++;
  ip = `203.0.${last}.7`;
});
afterAll(() => Promise.all([app.close(), other.close()]));

const from = (forwarded: string, more = {}) => ({ 'x-forwarded-for': forwarded, ...more });
const logIn = (headers: Record<string, string>, instance = app) =>
  instance.request('POST', '/v2/login/anonymous', { headers });
const me = (credential: TestRequest, address: string, instance = app) =>
  instance.request('GET', '/v2/me', { ...credential, headers: { ...from(address), ...credential.headers } });

/** Counts the statuses of `times` concurrent requests, sent to both instances in turn. */
async function tally(times: number, request: (instance: TestApp, index: number) => Promise<TestResponse>) {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => request(index % 2 === 0 ? app : other, index)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const EXACT = { 201: LIMIT, 429: 30 - LIMIT };

describe('the address that a limit counts', () => {
  it('is the rightmost one that is not a trusted proxy, counted exactly across two instances', async () => {
    const chains = [
      `${ip}, 10.1.2.3`,
      `198.51.100.1, ${ip}, 10.9.9.9, 10.1.2.3`,
      `${ip},10.1.2.3,2001:db8:ffff::1`,
      `,, ,${ip}`,
    ];
    expect(await tally(30, (instance, index) => logIn(from(chains[index % 4] as string), instance))).toEqual(
      EXACT,
    );
  });

  it('does not depend on addresses that the client writes to the left of it', async () => {
    const forged = (index: number) => [
      `198.51.100.${index}, ${ip}`,
      `10.0.0.${index}, ${ip}`,
      `127.0.0.1, 198.51.100.${index}, ${ip}`,
      `${Array.from({ length: 500 }, (_, n) => `192.0.2.${n % 256}`).join(',')}, ${ip}`,
      `unknown, "_x${index}", ${ip}`,
      `'; DROP TABLE rate_limits; --, ${ip}`,
    ];
    const headers = (index: number) => from(forged(index)[index % 6] as string);
    expect(await tally(30, (instance, index) => logIn(headers(index), instance))).toEqual(EXACT);
  });

  it('is not read from other headers', async () => {
    const names = [
      'forwarded',
      'x-real-ip',
      'x-client-ip',
      'true-client-ip',
      'cf-connecting-ip',
      'x-cluster-client-ip',
      'client-ip',
      'via',
    ];
    const headers = (index: number) =>
      from(
        ip,
        Object.fromEntries(
          names.map(name => [name, name === 'forwarded' ? `for=198.51.100.${index}` : `198.51.100.${index}`]),
        ),
      );
    expect(await tally(30, (instance, index) => logIn(headers(index), instance))).toEqual(EXACT);
  });

  it('of a repeated header is in its last line, which the proxy wrote', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const lines = [`X-Forwarded-For: 198.51.100.${index}`, `X-Forwarded-For: ${ip}`].join('\r\n');
        const request = `POST /v2/login/anonymous HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n${lines}\r\n\r\n`;
        return (await sendRaw(addressOf(index % 2 === 0 ? app : other), [request])).statuses[0];
      }),
    );
    expect(statuses.filter(status => status === 201)).toHaveLength(LIMIT);
    expect(statuses.filter(status => status === 429)).toHaveLength(12 - LIMIT);
  });

  it('is the same with a port, as IPv4-mapped IPv6 address, and anywhere in the same /64', async () => {
    const spellings = [ip, `${ip}:1`, `${ip}:65535`, `::ffff:${ip}`, `[::ffff:${ip}]:443`];
    expect(
      await tally(30, (instance, index) => logIn(from(spellings[index % 5] as string), instance)),
    ).toEqual(EXACT);
    const net = `2001:db8:${last}:1`;
    const six = (index: number) =>
      [
        `${net}::${index}`,
        `${net}:ffff:${index}:0:1`,
        `[${net}::${index}]:${index + 1}`,
        `${net.toUpperCase()}::a`,
      ][index % 4] as string;
    expect(await tally(30, (instance, index) => logIn(from(six(index)), instance))).toEqual(EXACT);
    expect((await logIn(from(`2001:db8:${last}:2::1`))).status).toBe(201);
  });

  it('is one shared value for everything that is not an address, and never causes an error', async () => {
    const odd = [
      'unknown',
      '_hidden',
      '-',
      '999.1.1.1',
      '1.2.3',
      '::g',
      '\u00ff',
      'x'.repeat(4_000),
      '%00',
      "'",
    ];
    expect(
      await tally(30, (instance, index) => logIn(from(odd[index % odd.length] as string), instance)),
    ).toEqual(EXACT);
    const sources = await app.sql(`SELECT DISTINCT source FROM rate_limits WHERE source !~ '^[0-9a-f.:/]+$'`);
    expect(sources).toEqual([{ source: 'unknown' }]);
  });
});

describe('a refused attempt', () => {
  it('gets from both instances the seconds to wait, and succeeds after that time', async () => {
    await tally(30, instance => logIn(from(ip), instance));
    const [row] = await app.sql(
      `SELECT extract(epoch FROM ends_at - clock_timestamp())::float8 AS left FROM rate_limits WHERE source = $1`,
      [ip],
    );
    for (const instance of [app, other]) {
      const refused = await logIn(from(ip), instance);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeLessThanOrEqual(60);
      expect(Math.abs(wait - row.left)).toBeLessThan(5);
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    }
  });
});

describe("a hostile client that fails with an organization's credentials", () => {
  const guess = () => `iak_${org.slug}_${crypto.randomUUID()}`;

  it('is limited by its address, counted exactly across two instances', async () => {
    expect(await tally(60, instance => me({ key: guess() }, ip, instance))).toEqual({ 401: 20, 429: 40 });
  });

  it('does not lock out valid credentials of the organization, from another address or from its own', async () => {
    const good = await newKey(app, org);
    const disabled = await newKey(app, org);
    const owner = { token: org.owner.token };
    await app.request('PATCH', `${org.path}/api-keys/${disabled.id}`, { ...owner, body: { disabled: true } });
    const failing = [
      guess(),
      disabled.apiKey,
      good.apiKey.toUpperCase().replace('IAK', 'iak'),
      `${good.apiKey}0`,
    ];
    for (let round = 0; round < 3; round++) {
      await tally(60, (instance, index) =>
        me({ key: failing[index % failing.length] as string }, ip, instance),
      );
    }
    for (const address of [ip, `198.51.${last}.1`]) {
      for (const instance of [app, other]) {
        expect((await me({ key: good.apiKey }, address, instance)).status).toBe(200);
        expect((await me(owner, address, instance)).status).toBe(200);
      }
    }
    expect((await me({ key: guess() }, ip)).status).toBe(429);
  });

  it('does not lock out anyone by failing from many addresses at once', async () => {
    const good = await newKey(app, org);
    const counts = await tally(120, (instance, index) =>
      me({ key: guess() }, `198.18.${last}.${index}`, instance),
    );
    expect(counts).toEqual({ 401: 120 });
    expect((await me({ key: good.apiKey }, `198.18.${last}.1`)).status).toBe(200);
    expect((await me({ key: good.apiKey }, ip, other)).status).toBe(200);
  });

  it('is also limited where a body contains the secret, and does not lock out the valid one', async () => {
    const path = `${account.path}/token`;
    const wrong = `sas_${org.slug}_${crypto.randomUUID()}`;
    const ask = (instance: TestApp) =>
      instance.request('POST', path, { body: { clientSecret: wrong }, headers: from(ip) });
    expect(await tally(40, ask)).toEqual({ 401: 20, 429: 20 });
    expect((await askToken(app, account)).status).toBeLessThan(300);
    const body = { clientSecret: account.clientSecret };
    expect((await other.request('POST', path, { body, headers: from(ip) })).status).toBeLessThan(300);
  });
});
