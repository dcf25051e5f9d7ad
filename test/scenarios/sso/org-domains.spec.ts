import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainChecks } from '../../../src/features/orgs/domains/domain-checks.service.js';
import type { TestApp } from '../../harness/app.js';
import { type DnsServer, startDnsServer } from '../../harness/dns-server.js';
import { MovedClock, person } from '../auth/person.js';
import { exchange, newAccount, ownProvider, startWorld, type World } from '../login/world.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';

const MANAGE = 'orgs:sso:manage';
const DAY = 86_400;
const POOL_SIZE = 15;

const clock = new MovedClock();
let dns: DnsServer;
let world: World;
let app: TestApp;
let org: TestOrg;

beforeAll(async () => {
  dns = await startDnsServer();
  const environment = {
    DNS_SERVERS: dns.address,
    ORG_VERIFIED_DOMAINS: 'somebody-else=listed.example',
    DATABASE_POOL_SIZE: String(POOL_SIZE),
  };
  world = await startWorld({ clock, environment });
  ({ app } = world);
});
beforeEach(async () => {
  org = await newOrg(app);
  dns.failing = false;
});
afterAll(async () => {
  await world?.close();
  dns?.close();
});

const newDomain = () => `${newSlug()}.example`;
const asOwner = (method: string, path = '', body?: object, of = org) =>
  app.request(method, `${of.path}/domains${path}`, { token: of.owner.token, body });
const verify = (domain: string, of = org) => asOwner('POST', `/${domain}/verify`, undefined, of);
const types = async (of = org) => (await events(app, of, 'orgs.domains.')).map(({ type }) => type);
const check = () => app.nest.get(DomainChecks, { strict: false }).checkAll(new AbortController().signal);
const listed = async (of = org) => (await asOwner('GET', '', undefined, of)).body.results;

async function added(domain = newDomain(), of = org) {
  const { status, body, text } = await asOwner('POST', '', { domain }, of);
  if (status !== 201) throw new Error(text);
  return body;
}

function publish({ record }: { record: { name: string; value: string } }, ...more: string[]): void {
  dns.records.set(record.name, [...more, record.value]);
}

async function proven(domain = newDomain(), of = org) {
  const claim = await added(domain, of);
  publish(claim);
  const { status, body, text } = await verify(domain, of);
  if (status !== 200) throw new Error(text);
  return body;
}

describe('POST /v2/orgs/{orgSlug}/domains', () => {
  it('answers with the TXT record that proves the domain, and lists it', async () => {
    const domain = newDomain();
    const created = await asOwner('POST', '', { domain });
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...{ domain, status: 'pending', createdAt: expect.any(String), verifiedAt: null, checkedAt: null },
        record: {
          name: `_typed-collections.${domain}`,
          type: 'TXT',
          value: expect.stringMatching(/^typed-collections-verification=[0-9a-f]{32,}$/),
        },
      },
    ]);
    expect((await asOwner('GET')).body).toEqual({ results: [created.body], total: 1 });
    expect(await events(app, org, 'orgs.domains.')).toMatchObject([
      { type: 'orgs.domains.added', target: { type: 'domain', id: domain }, changes: { after: { domain } } },
    ]);
    expect(dns.asked).not.toContain(created.body.record.name);
  });

  it('gives every organization a different record', async () => {
    const [domain, other] = [newDomain(), await newOrg(app)];
    const [one, two] = [await added(domain), await added(domain, other)];
    expect(one.record.name).toBe(two.record.name);
    expect(one.record.value).not.toBe(two.record.value);
  });

  it.each([
    ['Bücher.Example', 'xn--bcher-kva.example'],
    ['MAIL.Acme.Example.', 'mail.acme.example'],
  ])('stores %s as %s', async (sent, kept) => {
    expect((await added(sent)).domain).toBe(kept);
    expect((await asOwner('DELETE', `/${encodeURIComponent(sent)}`)).status).toBe(200);
  });

  it.each([
    ...['com', 'localhost', '192.0.2.1', '0x7f.1', '[::1]', 'acme.example:53', 'acme.example/x'],
    ...['a@acme.example', '*.example', '_dmarc.acme.example', '-a.example', 'a..example', '.example', ''],
    ...['acme example.com', 'acme%2eexample.com', `${'a'.repeat(64)}.example`],
    `${'a.'.repeat(115)}example`,
  ])('refuses %j', async domain => {
    const { status, body } = await asOwner('POST', '', { domain });
    expect([status, body.message]).toEqual([400, expect.stringContaining('domain')]);
    expect(await listed()).toEqual([]);
  });

  it('refuses a domain that the organization already claims, in any spelling', async () => {
    const before = await added('Twice.Example');
    const { status, body } = await asOwner('POST', '', { domain: 'twice.example.' });
    expect([status, body.error]).toEqual([409, 'AlreadyExists']);
    expect(await listed()).toEqual([before]);
  });

  it('refuses more than 20 domains, also from concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 23 }, () => asOwner('POST', '', { domain: newDomain() })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(201), 409, 409, 409]);
    expect((await asOwner('GET')).body.total).toBe(20);
  });
});

describe('POST /v2/orgs/{orgSlug}/domains/{domain}/verify', () => {
  it('verifies a domain whose record is found among others, with one event', async () => {
    const claim = await added();
    publish(claim, 'v=spf1 -all', 'x'.repeat(600));
    const verified = await verify(claim.domain);
    expect(verified.status).toBe(200);
    expect(verified.body).toEqual({
      ...{ ...claim, status: 'verified' },
      ...{ verifiedAt: expect.any(String), checkedAt: expect.any(String) },
    });
    expect((await verify(claim.domain)).body).toMatchObject({ verifiedAt: verified.body.verifiedAt });
    expect(await listed()).toMatchObject([{ status: 'verified' }]);
    expect(await types()).toEqual(['orgs.domains.added', 'orgs.domains.verified']);
  });

  it('shows the expected and the found records when the right one is missing', async () => {
    const { domain, record } = await added();
    const none = await verify(domain);
    expect([none.status, none.body.error]).toEqual([409, 'Conflict']);
    expect(none.body.message).toContain(record.value);
    expect(none.body.message).toContain('no TXT record');
    const wrong = 'typed-collections-verification=0000';
    dns.records.set(record.name, [wrong, 'secret=of-somebody']);
    const other = await verify(domain);
    expect(other.body).toMatchObject({
      error: 'Conflict',
      details: { expected: record.value, found: [wrong] },
    });
    expect(other.body.message).toContain('1 other');
    expect(other.text).not.toContain('of-somebody');
    expect(await listed()).toMatchObject([{ status: 'pending', checkedAt: expect.any(String) }]);
    expect(await types()).toEqual(['orgs.domains.added']);
  });

  it('does not accept the record of another organization', async () => {
    const [domain, other] = [newDomain(), await newOrg(app)];
    publish(await added(domain, other));
    await added(domain);
    expect((await verify(domain)).status).toBe(409);
    expect((await verify(domain, other)).status).toBe(200);
  });

  it('answers 503 when DNS fails, and changes nothing', async () => {
    const claim = await added();
    publish(claim);
    dns.failing = true;
    const { status, body } = await verify(claim.domain);
    expect([status, body.error, body.message]).toEqual([
      503,
      'Unavailable',
      expect.stringContaining('SERVFAIL'),
    ]);
    expect(await listed()).toEqual([claim]);
  });

  it('answers 404 for a domain that is not claimed, without a DNS query', async () => {
    const asked = dns.asked.length;
    for (const domain of [newDomain(), 'com', '%20']) expect((await verify(domain)).status).toBe(404);
    expect(dns.asked).toHaveLength(asked);
  });

  it('verifies a domain for one organization only, and says so only to one that also has its record', async () => {
    const [{ domain }, other] = [await proven(), await newOrg(app)];
    const claim = await added(domain, other);
    const unproven = await verify(domain, other);
    expect([unproven.status, unproven.text.includes('Another organization')]).toEqual([409, false]);
    dns.records.set(claim.record.name, [claim.record.value]);
    const refused = await verify(domain, other);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('Another organization'),
    ]);
    expect(refused.text).not.toContain(org.slug);
    expect(await types(other)).toEqual(['orgs.domains.added']);
    expect((await asOwner('DELETE', `/${domain}`)).status).toBe(200);
    expect((await verify(domain, other)).status).toBe(200);
  });

  it('verifies a domain for one of two concurrent organizations', async () => {
    const [domain, other] = [newDomain(), await newOrg(app)];
    const [one, two] = [await added(domain), await added(domain, other)];
    publish(one, two.record.value);
    const answers = await Promise.all([verify(domain), verify(domain, other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('does not verify a domain that the operator lists for another organization', async () => {
    const claim = await added('listed.example');
    publish(claim);
    const { status, body } = await verify('listed.example');
    expect([status, body.message]).toEqual([409, expect.stringContaining('Another organization')]);
    expect(await listed()).toMatchObject([{ status: 'pending' }]);
  });

  it('holds no database connection while it waits for DNS', async () => {
    const claims = [];
    for (let count = 0; count <= POOL_SIZE; count += 1) claims.push(await added());
    for (const claim of claims) publish(claim);
    let open = () => {};
    dns.gate = new Promise(resolve => {
      open = resolve;
    });
    const answers = Promise.all(claims.map(({ domain }) => verify(domain)));
    const names = claims.map(({ record }) => record.name);
    await vi.waitFor(() => expect(dns.asked).toEqual(expect.arrayContaining(names)), 4_000);
    expect((await asOwner('GET', '?limit=100')).body.total).toBe(claims.length);
    open();
    expect((await answers).map(({ status }) => status)).toEqual(claims.map(() => 200));
  });

  it('has a rate limit per caller', async () => {
    const limited = await world.another({ RATE_LIMITS: 'on', RATE_LIMIT_DOMAIN_CHECKS: '2' });
    const { domain, record } = await added();
    const { apiKey: key } = await newKey(app, org, { permissions: [MANAGE] });
    const send = () => limited.request('POST', `${org.path}/domains/${domain}/verify`, { key });
    expect([await send(), await send(), await send()].map(({ status }) => status)).toEqual([409, 409, 429]);
    expect(dns.asked.filter(name => name === record.name)).toHaveLength(2);
  });
});

describe('DELETE /v2/orgs/{orgSlug}/domains/{domain}', () => {
  it('removes the domain, whose old record then proves nothing', async () => {
    const { domain } = await proven();
    const removed = await asOwner('DELETE', `/${domain}`);
    expect([removed.status, removed.body]).toEqual([200, { success: true }]);
    expect((await asOwner('DELETE', `/${domain}`)).status).toBe(404);
    await added(domain);
    expect((await verify(domain)).status).toBe(409);
    expect(await types()).toEqual(
      ['added', 'verified', 'removed', 'added'].map(each => `orgs.domains.${each}`),
    );
  });

  it('happens with the organization, whose domains others may then prove', async () => {
    const [{ domain }, other] = [await proven(), await newOrg(app)];
    await app.request('DELETE', org.path, { token: org.owner.token });
    publish(await added(domain, other));
    expect((await verify(domain, other)).status).toBe(200);
  });
});

describe('domains of an organization', () => {
  it('are managed by people and keys with the permission for identity providers', async () => {
    const { domain } = await added();
    const weak = await newMember(app, org, { permissions: ['orgs:manage', 'orgs:members:manage'] });
    const stranger = await person(app);
    const all = `${org.path}/domains`;
    for (const [method, path] of [
      ['GET', all],
      ['POST', all],
      ['POST', `${all}/${domain}/verify`],
      ['DELETE', `${all}/${domain}`],
    ] as const) {
      const codes = [];
      for (const token of [weak.token, stranger.token, undefined]) {
        const body = method === 'POST' ? {} : undefined;
        codes.push((await app.request(method, path, { ...(token && { token }), body })).body.error);
      }
      expect(codes).toEqual(['Forbidden', 'OrganizationMembershipRequired', 'Unauthorized']);
    }
    const { apiKey: key } = await newKey(app, org, { permissions: [MANAGE] });
    const body = { domain: newDomain() };
    expect((await app.request('POST', all, { key, body })).status).toBe(201);
    expect((await app.request('GET', all, { key })).body.total).toBe(2);
    expect((await app.request('DELETE', `${all}/${domain}`, { key })).status).toBe(200);
  });

  it('are hidden from another organization', async () => {
    const [{ domain }, other] = [await proven(), await newOrg(app)];
    expect(await listed(other)).toEqual([]);
    expect((await asOwner('DELETE', `/${domain}`, undefined, other)).status).toBe(404);
    expect((await verify(domain, other)).status).toBe(404);
  });
});

describe('the daily check', () => {
  it('keeps a domain verified when its record is missing twice and then found', async () => {
    const { domain, record } = await proven();
    for (const isThere of [false, false, true, false, false]) {
      if (isThere) dns.records.set(record.name, [record.value]);
      else dns.records.delete(record.name);
      clock.move(DAY);
      await check();
    }
    expect(await listed()).toMatchObject([{ domain, status: 'verified' }]);
    expect(await types()).not.toContain('orgs.domains.unverified');
  });

  it('makes a domain pending when its record is missing three times in a row, with an event', async () => {
    const { domain, record, verifiedAt } = await proven();
    dns.records.delete(record.name);
    for (let day = 1; day <= 3; day += 1) {
      expect(await listed()).toMatchObject([{ status: 'verified' }]);
      clock.move(DAY);
      // A second run on the same day counts nothing, and a failed verification does not postpone the check.
      await check();
      await check();
      if (day < 3) expect((await verify(domain)).status).toBe(409);
    }
    expect(await listed()).toMatchObject([{ domain, status: 'pending', verifiedAt: null, record }]);
    const [event] = await events(app, org, 'orgs.domains.unverified');
    expect(event).toMatchObject({
      actor: { via: 'job' },
      target: { type: 'domain', id: domain },
      changes: { before: { status: 'verified', verifiedAt }, after: { status: 'pending' } },
    });
    dns.records.set(record.name, [record.value]);
    expect((await verify(domain)).status).toBe(200);
  });

  it('does not count days on which DNS fails', async () => {
    const { domain } = await proven();
    dns.failing = true;
    for (let day = 1; day <= 4; day += 1) {
      clock.move(DAY);
      expect((await check()).unanswered).toBeGreaterThan(0);
    }
    expect(await listed()).toMatchObject([{ domain, status: 'verified' }]);
  });
});

describe('a login through the organization’s own provider', () => {
  const enter = async (slug: string, account: object) => {
    const iat = Math.floor(clock.now().getTime() / 1000);
    const idToken = await world.foreign.idToken({ ...account, iat, exp: iat + 600 });
    const { status, body, text } = await exchange(app, slug, idToken);
    if (status !== 200) throw new Error(text);
    return (await app.request('GET', '/v2/me', { token: body.token })).body.org.role.slug;
  };
  async function invited(domain: string, of = org, roleSlug = 'auditor') {
    const account = newAccount({ email: `${newSlug()}@${domain}` });
    const body = { email: account.email, roleSlug };
    const { status } = await app.request('POST', `${of.path}/invites`, { token: of.owner.token, body });
    if (status !== 201) throw new Error('nobody was invited');
    return account;
  }

  it('claims an invitation while the domain is verified, not before and not after', async () => {
    const role = { slug: 'auditor', name: 'auditor', permissions: ['collections:read'] };
    await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body: role });
    const [slug, claim] = [await ownProvider(world, org), await added()];
    const { domain, record } = claim;
    publish(claim);
    expect(await enter(slug, await invited(domain))).toBe('member');
    await verify(domain);
    expect(await enter(slug, await invited(domain))).toBe('auditor');
    // A subdomain counts as another domain.
    expect(await enter(slug, await invited(`sub.${domain}`))).toBe('member');
    dns.records.delete(record.name);
    for (let day = 1; day <= 3; day += 1) {
      clock.move(DAY);
      await check();
    }
    expect(await enter(slug, await invited(domain))).toBe('member');
  });

  it('claims no invitation for a domain that another organization has proven', async () => {
    const role = { slug: 'auditor', name: 'auditor', permissions: ['collections:read'] };
    const other = await newOrg(app);
    await app.request('POST', `${other.path}/roles`, { token: other.owner.token, body: role });
    const { domain } = await proven();
    await added(domain, other);
    const slug = await ownProvider(world, other);
    expect(await enter(slug, await invited(domain, other))).toBe('member');
  });

  it('claims no invitation as owner, which stays open', async () => {
    const { domain } = await proven();
    const slug = await ownProvider(world, org);
    const account = await invited(domain, org, 'owner');
    expect(await enter(slug, account)).toBe('member');
    expect(await events(app, org, 'orgs.invites.accepted')).toEqual([]);
    const open = await app.sql('SELECT uses FROM org_invites WHERE email = $1', [account.email]);
    expect(open).toEqual([{ uses: 0 }]);
  });
});
