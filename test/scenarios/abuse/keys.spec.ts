import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { newCollection } from '../../harness/collection.js';
import { MovedClock } from '../auth/person.js';
import { newKey, newOrg, type TestOrg } from '../orgs/org.js';

const UUID = 36;
const INVALID = '{"error":"Unauthorized","message":"The API key is not valid."}';
const clock = new MovedClock();
let app: TestApp;
let plain: TestOrg;
let underscored: TestOrg;
let refusal: string;

beforeAll(async () => {
  // One trusted proxy, which is the test itself, so that tests can set a client's address and forge others behind
  // it.
  app = await startOwnApp({ database: 'own', clock, environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  [plain, underscored] = [await newOrg(app, 'acme'), await newOrg(app, 'acme_eu_west_1')];
  refusal = (await ask('wrong')).text;
});
afterAll(() => app.close());

const ask = (key: string, headers = {}, path = '/v2/me') =>
  app.request('GET', path, { headers: { 'x-platform-api-key': key, ...headers } });
const uuidOf = (key: string) => key.slice(-UUID);
const validate = (org: Pick<TestOrg, 'path'>, apiKey: string, headers = {}) =>
  app.request('POST', `${org.path}/api-keys/validate`, { body: { apiKey }, headers });

/**
 * Expects the same 401 for every wrong key, without any part of the key in the body, also where a route only
 * checks a key.
 */
async function expectRefused(key: string, headers = {}): Promise<void> {
  for (const path of ['/v2/me', '/v1/collections']) {
    const { status, text } = await ask(key, headers, path);
    expect([key, status, text]).toEqual([key, 401, refusal]);
  }
  for (const org of [plain, underscored]) {
    const { status, text } = await validate(org, key, headers);
    expect([key, status, text]).toEqual([key, 401, INVALID]);
  }
}

describe('the slug in a key', () => {
  it('may contain underscores, because the key is parsed from its end', async () => {
    const { apiKey } = await newKey(app, underscored);
    expect(apiKey).toMatch(/^iak_acme_eu_west_1_[0-9a-f-]{36}$/);
    expect((await ask(apiKey)).body.org.slug).toBe('acme_eu_west_1');
    expect((await validate(underscored, apiKey)).status).toBe(200);
  });

  it("must be the slug of the key's organization: a right uuid with another slug is refused", async () => {
    const [one, two] = [await newKey(app, plain), await newKey(app, underscored)];
    expect([(await ask(one.apiKey)).status, (await ask(two.apiKey)).status]).toEqual([200, 200]);
    for (const slug of [
      'acme_eu_west_1',
      'acme_eu_west',
      'acm',
      'acme_',
      'acme__',
      '_acme',
      'ACME',
      'default',
      '',
    ]) {
      await expectRefused(`iak_${slug}_${uuidOf(one.apiKey)}`);
    }
    for (const slug of [
      'acme',
      'acme_eu_west',
      'acme_eu_west_',
      'acme_eu_west_1_',
      'acme-eu-west-1',
      'acme%5Feu_west_1',
    ]) {
      await expectRefused(`iak_${slug}_${uuidOf(two.apiKey)}`);
    }
  });

  it('determines the organization for which a key is valid, on every route that checks keys', async () => {
    const { apiKey } = await newKey(app, plain);
    expect((await validate(plain, apiKey)).status).toBe(200);
    expect(await validate(underscored, apiKey)).toMatchObject({ status: 401, text: INVALID });
    expect(await validate({ path: '/v2/orgs/nobody' }, apiKey)).toMatchObject({ status: 401, text: INVALID });
  });
});

describe('the text of a key', () => {
  it('is compared exactly: another spelling is another key', async () => {
    const { apiKey } = await newKey(app, plain);
    const uuid = uuidOf(apiKey);
    for (const odd of [
      ...[apiKey.toUpperCase(), `iak_acme_${uuid.toUpperCase()}`, `IAK_acme_${uuid}`, `Iak_acme_${uuid}`],
      ...[
        `iak_acme_ ${uuid}`,
        `iak_ acme_${uuid}`,
        `iak _acme_${uuid}`,
        `iak_acme_\t${uuid}`,
        `iak_acme_${uuid} x`,
      ],
      ...[
        `iak_acme_{${uuid}}`,
        `iak_acme_${uuid.replaceAll('-', '')}`,
        `iak_acme_urn:uuid:${uuid}`,
        `iak-acme-${uuid}`,
      ],
      ...[
        `iak__${uuid}`,
        `iak_${uuid}`,
        uuid,
        `${apiKey}${uuid}`,
        `iak_iak_acme_${uuid}`,
        `"${apiKey}"`,
        `${apiKey};`,
      ],
      ...[
        encodeURIComponent(apiKey).replace('_', '%5F'),
        Buffer.from(apiKey).toString('base64'),
        `${apiKey}=`,
        `${apiKey}.`,
      ],
      ...[
        `${apiKey.slice(0, -1)}`,
        `${apiKey}0`,
        apiKey.replace(uuid, randomUUID()),
        `sas_acme_${uuid}`,
        `wak_${uuid}`,
      ],
    ]) {
      await expectRefused(odd);
    }
    expect((await ask(` ${apiKey}\t`)).status).toBe(200);
  });

  it('contains a random uuid of version 4', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => newKey(app, plain)));
    for (const { apiKey } of made)
      expect(uuidOf(apiKey)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    expect(new Set(made.map(({ apiKey }) => uuidOf(apiKey).slice(0, 8))).size).toBe(20);
    for (const { id } of made) expect(made.some(({ apiKey }) => apiKey.includes(id))).toBe(false);
  });

  it('is not accepted as bearer token, cookie or query parameter', async () => {
    const { apiKey } = await newKey(app, plain);
    const requests: TestRequest[] = [
      { token: apiKey },
      { headers: { cookie: `access-token=${apiKey}` } },
      { headers: { cookie: `x-platform-api-key=${apiKey}` } },
      { headers: { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}` } },
      { headers: { authorization: `ApiKey ${apiKey}` } },
    ];
    for (const request of requests) {
      expect(await app.request('GET', '/v2/me', request)).toMatchObject({ status: 401, text: refusal });
    }
    for (const name of ['x-platform-api-key', 'apiKey', 'api_key', 'key']) {
      expect((await app.request('GET', `/v2/me?${name}=${apiKey}`)).status).toBe(401);
    }
  });
});

describe('a key that is no longer valid is refused', () => {
  it('after it has expired, to the second', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const { apiKey } = await newKey(app, plain, { expiresAt });
    expect((await ask(apiKey)).status).toBe(200);
    clock.move(61);
    await expectRefused(apiKey);
  });

  it('after it was disabled, deleted or rotated', async () => {
    const disabled = await newKey(app, plain);
    const deleted = await newKey(app, plain);
    const rotated = await newKey(app, plain);
    const owner = { token: plain.owner.token };
    for (const { apiKey } of [disabled, deleted, rotated]) expect((await ask(apiKey)).status).toBe(200);
    const path = `${plain.path}/api-keys`;
    await app.request('PATCH', `${path}/${disabled.id}`, { ...owner, body: { disabled: true } });
    await app.request('DELETE', `${path}/${deleted.id}`, owner);
    const fresh = await app.request('POST', `${path}/${rotated.id}/rotate`, { ...owner, body: {} });
    for (const { apiKey } of [disabled, deleted, rotated]) await expectRefused(apiKey);
    expect((await ask(fresh.body.apiKey)).status).toBe(200);
  });

  it('after its organization was deleted', async () => {
    const org = await newOrg(app, 'short_lived');
    const { apiKey } = await newKey(app, org);
    expect((await ask(apiKey)).status).toBe(200);
    await app.request('DELETE', org.path, { token: org.owner.token });
    await expectRefused(apiKey);
  });
});

describe('a key with a list of addresses', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('is valid from the listed IPv4 and IPv6 addresses and from no other', async () => {
    const { apiKey } = await newKey(app, plain, { ipAllowList: ['192.0.2.0/24', '2001:db8:7::/48'] });
    for (const inside of [
      '192.0.2.1',
      '192.0.2.255',
      '::ffff:192.0.2.9',
      '2001:db8:7::1',
      '2001:DB8:7:ffff::1',
    ]) {
      expect([inside, (await ask(apiKey, from(inside))).status]).toEqual([inside, 200]);
      expect((await validate(plain, apiKey, from(inside))).status).toBe(200);
    }
    for (const outside of [
      '192.0.3.1',
      '10.0.0.1',
      '2001:db8:8::1',
      '::1',
      'unknown',
      '',
      '192.0.2.1.5',
      '192.0.2.0/24',
    ]) {
      await expectRefused(apiKey, from(outside));
    }
    await expectRefused(apiKey);
  });

  it('ignores addresses that the client put before the address that the proxy appended', async () => {
    const { apiKey } = await newKey(app, plain, { ipAllowList: ['192.0.2.0/24'] });
    expect((await ask(apiKey, from('203.0.113.9, 192.0.2.1'))).status).toBe(200);
    for (const forged of [
      from('192.0.2.1, 203.0.113.9'),
      from('192.0.2.1,192.0.2.1, 203.0.113.9'),
      { forwarded: 'for=192.0.2.1' },
      {
        ...from('203.0.113.9'),
        forwarded: 'for=192.0.2.1',
        'x-real-ip': '192.0.2.1',
        'x-client-ip': '192.0.2.1',
      },
      { ...from('203.0.113.9'), 'true-client-ip': '192.0.2.1', 'cf-connecting-ip': '192.0.2.1' },
    ]) {
      await expectRefused(apiKey, forged);
    }
  });
});

describe('a collection key', () => {
  it('follows the rules of organization keys and gives access to its collection only', async () => {
    const home = { org: plain, owner: { token: plain.owner.token } };
    const [one, two] = [await newCollection(app, home), await newCollection(app, home)];
    const body = { slug: 'export', name: 'Export', permissions: ['collections:read'] };
    const { secret } = (await app.request('POST', `${one.path}/api-keys`, { ...home.owner, body })).body;
    expect((await ask(secret, {}, one.path)).status).toBe(200);
    expect((await ask(secret, {}, two.path)).status).toBe(404);
    expect((await ask(secret, {}, plain.path)).status).toBe(403);
    await expectRefused(secret.replace('iak_acme_', 'iak_acme_eu_west_1_'));
    await expectRefused(secret.toUpperCase());
  });
});
