import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { Browser } from '../../harness/browser.js';
import { CLIENT_ID } from '../../harness/identity-provider.js';
import { events as platformEvents, signIn } from '../auth/person.js';
import { events, newDomain, newMember, newOrg, newSlug, prove, type TestOrg } from '../orgs/org.js';
import { newTestKey, startProvider } from '../sso/provider.js';
import {
  exchange,
  logIn,
  newAccount,
  ownProvider,
  provider,
  startWorld,
  type World,
  whoIs,
} from './world.js';

let world: World;
let app: TestApp;
beforeAll(async () => {
  const more = (issuer: string) => [
    { ...provider('limited', issuer), domains: ['limited.example'] },
    { ...provider('limited-staff', issuer), domains: ['limited.example'], orgSlug: 'default' },
    { ...provider('nowhere', issuer), orgSlug: 'not-there-yet' },
    { ...provider('analysts', issuer), orgSlug: 'default', defaultRole: 'analyst' },
    {
      ...provider('mapped', issuer),
      attributesMapping: { email: 'mail', firstName: 'vorname', lastName: 'nachname' },
    },
  ];
  world = await startWorld({
    more,
    environment: { ORG_VERIFIED_DOMAINS: 'proven-org=proven.example,known-org=proven.example' },
  });
  ({ app } = world);
});
afterAll(() => world.close());

/** Exchanges an id_token of `open`, through any entry of the file with its issuer. */
async function enter(slug: string, claims: object, at: TestApp = app) {
  const idp = slug === 'staff' ? world.staff : world.open;
  return exchange(at, slug, await idp.idToken({ ...claims }));
}

/** The person whom an exchange signed in. */
async function entered(slug: string, claims: object) {
  const { status, body } = await enter(slug, claims);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return me(body.token);
}

async function enteredBy(ownSlug: string, claims: object) {
  const { status, body } = await exchange(app, ownSlug, await world.foreign.idToken({ ...claims }));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return me(body.token);
}

const me = async (token: string) => (await app.request('GET', '/v2/me', { token })).body;

async function invite(org: TestOrg, email: string, roleSlug = 'member') {
  const body = { email, roleSlug };
  const { status } = await app.request('POST', `${org.path}/invites`, { token: org.owner.token, body });
  if (status !== 201) throw new Error(`nobody was invited: ${status}`);
}

async function change(org: TestOrg, body: object) {
  const { status } = await app.request('PATCH', org.path, { token: org.owner.token, body });
  if (status !== 200) throw new Error(`nothing was changed: ${status}`);
}

async function newRole(org: TestOrg, slug: string) {
  const body = { slug, name: slug, permissions: ['collections:read'] };
  await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body });
}

const users = async () => (await app.sql('SELECT count(*)::int AS n FROM users'))[0].n;
const user = async (id: string) => (await app.sql('SELECT * FROM users WHERE id = $1', [id]))[0];

describe('an identity', () => {
  it('is the same person at every login, even if all their other claims have changed', async () => {
    const ada = newAccount({ given_name: 'Ada' });
    const first = await entered('open', ada);
    const second = await entered('open', { ...newAccount(), sub: ada.sub, given_name: 'Augusta' });
    expect(second).toMatchObject({ id: first.id, email: ada.email, firstName: 'Ada' });
  });

  it('is the same person in the browser and in the exchange', async () => {
    const ada = world.open.knows(newAccount());
    const browser = new Browser();
    await logIn(world, 'open', ada, browser);
    expect((await whoIs(app, browser)).id).toBe((await entered('open', ada)).id);
  });

  it('of another provider is another person, whatever its sub', async () => {
    const { sub } = newAccount();
    const [one, two] = [await entered('open', { sub }), await entered('staff', { sub })];
    expect(one.id).not.toBe(two.id);
  });

  it('of another entry with the same issuer is another person', async () => {
    const { sub } = newAccount();
    expect((await entered('open', { sub })).id).not.toBe((await entered('mapped', { sub })).id);
  });

  it("is unknown after the provider's issuer has changed", async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const ada = newAccount();
    const before = await enteredBy(slug, ada);
    const { slug: _, ...body } = provider(slug, world.closed.issuer);
    const changed = await app.request('PUT', `${org.path}/auth/sso/${slug}`, {
      token: org.owner.token,
      body,
    });
    expect(changed.status).toBe(200);
    const answer = await exchange(app, slug, await world.closed.idToken({ ...ada }));
    expect(answer.status).toBe(200);
    expect(answer.body.id).not.toBe(before.id);
    expect((await exchange(app, slug, await world.foreign.idToken({ ...ada }))).status).toBe(401);
  });

  it("is unknown with keys other than the issuer's, which anyone who may change the provider could configure", async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const ada = newAccount();
    const before = await enteredBy(slug, ada);
    const manager = await newMember(app, org, { permissions: ['orgs:sso:manage', 'collections:*'] });
    const forger = await startProvider();
    const key = await newTestKey('forged');
    forger.keys = [key.publicJwk];
    const { slug: _, ...body } = provider(slug, world.foreign.issuer, { jwks_uri: `${forger.issuer}/jwks` });
    const path = `${org.path}/auth/sso/${slug}`;
    expect((await app.request('PUT', path, { token: manager.token, body })).status).toBe(200);
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: world.foreign.issuer, aud: CLIENT_ID, iat: now, exp: now + 60 };
    const answer = await exchange(app, slug, await key.sign({ ...standard, ...ada }));
    expect(answer.status).toBe(200);
    expect(answer.body.id).not.toBe(before.id);
  });

  it('is unknown for another client_id, whose tokens people gave to another application; also one from before', async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const ada = newAccount();
    const before = await enteredBy(slug, ada);
    // Earlier versions stored the id of the provider alone.
    await app.sql(
      "UPDATE federated_identities SET provider_id = split_part(provider_id, ' ', 1) WHERE subject = $1",
      [ada.sub],
    );
    const replace = async (client_id: string) => {
      const { slug: _, ...body } = provider(slug, world.foreign.issuer, { client_id, client_secret: null });
      const path = `${org.path}/auth/sso/${slug}`;
      const { status, text } = await app.request('PUT', path, { token: org.owner.token, body });
      if (status !== 200) throw new Error(text);
    };
    await replace('another-application');
    const token = await world.foreign.idToken({ ...ada, aud: 'another-application' });
    const stranger = await exchange(app, slug, token);
    expect(stranger.status).toBe(200);
    expect(stranger.body.id).not.toBe(before.id);
    await replace(CLIENT_ID);
    expect((await enteredBy(slug, ada)).id).toBe(before.id);
  });

  it('from before is the same person', async () => {
    const slug = await ownProvider(world, await newOrg(app));
    const ada = newAccount();
    const before = await enteredBy(slug, ada);
    await app.sql(
      "UPDATE federated_identities SET provider_id = split_part(provider_id, ' ', 1) WHERE subject = $1",
      [ada.sub],
    );
    expect((await enteredBy(slug, ada)).id).toBe(before.id);
  });

  it('needs no e-mail address', async () => {
    const { sub } = newAccount();
    expect(await entered('open', { sub })).toMatchObject({ email: null, orgSlugs: [] });
  });

  it('takes its profile from the claims that the provider maps', async () => {
    const { sub, email } = newAccount();
    const claims = {
      sub,
      mail: email,
      email_verified: true,
      vorname: 'Ada',
      nachname: 'L',
      given_name: 'no',
    };
    expect(await entered('mapped', claims)).toMatchObject({ email, firstName: 'Ada', lastName: 'L' });
  });

  it('of a disabled account is refused without using anything up', async () => {
    const ada = newAccount();
    const { id } = await entered('open', ada);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [id]);
    const token = await world.open.idToken({ ...ada });
    expect(await exchange(app, 'open', token)).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
    const refusals = await app.sql(`SELECT changes FROM audit_events WHERE type = 'logins.refused'`);
    const after = { reason: 'Forbidden', issuer: world.open.issuer, subject: ada.sub };
    expect(refusals.map(({ changes }) => changes.after)).toContainEqual(after);
    await app.sql(`UPDATE users SET status = 'active' WHERE id = $1`, [id]);
    expect((await exchange(app, 'open', token)).status).toBe(200);
  });
});

describe('an e-mail address', () => {
  it('that a provider of the file has verified leads to its account, whatever the case', async () => {
    const ada = newAccount();
    const first = await entered('open', ada);
    const again = await entered('staff', { ...newAccount(), email: ada.email.toUpperCase() });
    expect(again).toMatchObject({ id: first.id, email: ada.email });
    expect(await platformEvents(app, first.id)).toEqual([
      'users.created',
      'identities.linked',
      'identities.linked',
    ]);
  });

  it.each([false, 'true', undefined])(
    'that is not verified leads to no account: %j',
    async email_verified => {
      const ada = newAccount();
      const owner = await entered('open', ada);
      const other = await entered('mapped', { sub: newAccount().sub, mail: ada.email, email_verified });
      expect(other.id).not.toBe(owner.id);
      expect(other.email).toBeNull();
    },
  );

  it("that only an organization's own provider has verified leads to no account", async () => {
    const ada = newAccount();
    const owner = await entered('open', ada);
    const slug = await ownProvider(world, await newOrg(app));
    const other = await enteredBy(slug, { ...newAccount(), email: ada.email });
    expect(other.id).not.toBe(owner.id);
    expect(other.email).toBeNull();
  });

  it('that an account has not proven belongs to the person who proves it', async () => {
    const ada = newAccount();
    const slug = await ownProvider(world, await newOrg(app));
    const waiting = await enteredBy(slug, { ...newAccount(), email: ada.email });
    expect(waiting.email).toBe(ada.email);
    const owner = await entered('open', ada);
    expect(owner).toMatchObject({ email: ada.email });
    expect(owner.id).not.toBe(waiting.id);
    expect((await user(waiting.id)).email).toBeNull();
    expect((await user(owner.id)).email_verified).toBe(true);
    expect(await platformEvents(app, waiting.id)).toContain('users.updated');
  });

  it('that an account only claims does not make it a member elsewhere', async () => {
    const { email } = newAccount();
    const claiming = await enteredBy(await ownProvider(world, await newOrg(app)), { ...newAccount(), email });
    expect(claiming.email).toBe(email);
    const other = await newOrg(app);
    const body = { users: [{ email }] };
    const added = await app.request('POST', `${other.path}/members`, { token: other.owner.token, body });
    expect(added).toMatchObject({ status: 201, body: { results: [], invitations: [{ email }] } });
  });

  it('can be proven later if it was only claimed at first', async () => {
    const ada = newAccount({ email_verified: false });
    const { id } = await entered('open', ada);
    expect((await user(id)).email_verified).toBe(false);
    await entered('open', { ...ada, email_verified: true });
    expect(await user(id)).toMatchObject({ email: ada.email, email_verified: true });
  });

  it('does not link another identity to its account: only a signed-in session does', async () => {
    const ada = world.open.knows(newAccount());
    const browser = new Browser();
    await logIn(world, 'open', ada, browser);
    const { id } = await whoIs(app, browser);
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const atWork = world.foreign.knows(newAccount({ email: ada.email }));
    await logIn(world, slug, atWork, browser);
    expect(await whoIs(app, browser)).toMatchObject({ id, orgSlugs: [org.slug] });
    expect((await enteredBy(slug, atWork)).id).toBe(id);
  });
});

describe('a pending invitation', () => {
  it('is accepted with a verified address: account and membership are created together', async () => {
    const ada = newAccount();
    const [one, two] = [await newOrg(app), await newOrg(app)];
    await invite(one, ada.email.toUpperCase(), 'admin');
    await invite(two, ada.email);
    const person = await entered('open', ada);
    expect(person.orgSlugs.sort()).toEqual([one.slug, two.slug].sort());
    const [accepted] = await events(app, one, 'orgs.invites.accepted');
    expect(accepted).toMatchObject({ actor: { id: person.id }, changes: { after: { uses: 1 } } });
    expect(await events(app, one, 'orgs.members.added')).toHaveLength(2);
  });

  it('is accepted by an existing account', async () => {
    const ada = newAccount();
    const { id } = await entered('open', ada);
    const org = await newOrg(app);
    await app.sql('UPDATE users SET email = NULL, email_verified = false WHERE id = $1', [id]);
    await invite(org, ada.email);
    expect(await entered('open', ada)).toMatchObject({ id, orgSlugs: [org.slug] });
  });

  it('of another organization stays open for a person who already belongs to one', async () => {
    const ada = newAccount();
    const [home, other] = [await newOrg(app), await newOrg(app)];
    await invite(home, ada.email);
    expect((await entered('open', ada)).orgSlugs).toEqual([home.slug]);
    await invite(other, ada.email);
    expect((await entered('open', ada)).orgSlugs).toEqual([home.slug]);
    expect(await events(app, other, 'orgs.invites.accepted')).toEqual([]);
    const { body } = await enter('open', ada);
    const listed = await app.request('GET', '/v2/user/invitations', { token: body.token });
    expect(listed.body.results).toMatchObject([{ orgSlug: other.slug }]);
    const { id } = listed.body.results[0];
    await app.request('POST', `/v2/user/invitations/${id}/accept`, { token: body.token });
    expect((await me(body.token)).orgSlugs).toEqual([home.slug, other.slug]);
  });

  it('is not accepted with an unverified address', async () => {
    const org = await newOrg(app);
    const ada = newAccount({ email_verified: false });
    await invite(org, ada.email);
    expect((await entered('open', ada)).orgSlugs).toEqual([]);
    expect(await events(app, org, 'orgs.invites.accepted')).toEqual([]);
  });

  it("is not accepted through the organization's own provider for a domain that it has not proven", async () => {
    const ada = newAccount({ email: `${newSlug()}@proven.example` });
    const org = await newOrg(app);
    await newRole(org, 'auditor');
    await invite(org, ada.email, 'auditor');
    const person = await enteredBy(await ownProvider(world, org), ada);
    expect(person).toMatchObject({ orgSlugs: [org.slug], org: { role: { slug: 'member' } } });
    expect(await events(app, org, 'orgs.invites.accepted')).toEqual([]);
    expect(await app.sql('SELECT uses FROM org_invites WHERE org_id = $1', [org.id])).toEqual([{ uses: 0 }]);
  });

  it('of the organization is accepted through its own provider, with its role; no other invitation is', async () => {
    const ada = newAccount({ email: `${newSlug()}@proven.example` });
    const [org, other] = [await newOrg(app, 'proven-org'), await newOrg(app)];
    await newRole(org, 'auditor');
    await invite(org, ada.email, 'auditor');
    await invite(other, ada.email);
    const person = await enteredBy(await ownProvider(world, org), ada);
    expect(person).toMatchObject({ orgSlugs: [org.slug], org: { role: { slug: 'auditor' } } });
    expect(await events(app, other, 'orgs.invites.accepted')).toEqual([]);
    // The invitation is still open for the invited person.
    expect((await entered('open', ada)).orgSlugs).toContain(other.slug);
  });
});

describe('the organization of the provider', () => {
  it.each([
    ['knows', 'has proven', 'known-org', 201],
    ['does not know', 'has not proven', newSlug(), 400],
  ])('%s its member by an address of a domain that it %s', async (_, _proven, slug, status) => {
    const ada = newAccount({ email: `${newSlug()}@proven.example` });
    const org = await newOrg(app, slug);
    await enteredBy(await ownProvider(world, org), ada);
    const asOwner = (path: string, body: object) =>
      app.request('POST', `${org.path}/groups${path}`, { token: org.owner.token, body });
    await asOwner('', { slug: 'sales', name: 'Sales' });
    expect((await asOwner('/sales/members', { users: [{ email: ada.email }] })).status).toBe(status);
  });

  it('is joined with its default role', async () => {
    const org = await newOrg(app);
    await newRole(org, 'reader');
    await change(org, { defaultRole: 'reader' });
    const slug = await ownProvider(world, org);
    const ada = newAccount();
    const person = await enteredBy(slug, ada);
    expect(person).toMatchObject({ orgSlugs: [org.slug], org: { role: { slug: 'reader' } } });
    await enteredBy(slug, ada);
    expect(await events(app, org, 'orgs.members.added')).toHaveLength(2);
  });

  it('is joined with the role that the provider names', async () => {
    const token = (await signIn(app, app.bootstrap.userId)).token;
    const body = { slug: 'analyst', name: 'Analyst', permissions: ['collections:read'] };
    expect((await app.request('POST', '/v2/orgs/default/roles', { token, body })).status).toBe(201);
    expect((await entered('analysts', newAccount())).org.role.slug).toBe('analyst');
  });

  it('comes before organizations that the person joins by a rule', async () => {
    const ada = newAccount({ email: `ada@${newDomain()}` });
    const open = await newOrg(app);
    const domain = ada.email.split('@')[1] as string;
    await prove(app, open, domain);
    await change(open, { joinRules: [{ domain, roleSlug: 'member' }] });
    expect((await entered('staff', ada)).orgSlugs).toEqual(['default', open.slug]);
  });

  it('is required: without it neither session nor account is created', async () => {
    const [ada, before] = [newAccount(), await users()];
    const refused = await enter('nowhere', ada);
    expect(refused).toMatchObject({ status: 403, body: { error: 'OrganizationRequired' } });
    expect(await users()).toBe(before);
    const browser = new Browser();
    const answer = await logIn(world, 'nowhere', world.open.knows(ada), browser);
    expect(answer.status).toBe(403);
    expect(browser.cookie(app.url, 'access-token')).toBeUndefined();
    expect(await users()).toBe(before);
  });

  it('may be another one that invited the person, for a provider of the file', async () => {
    const ada = newAccount();
    const org = await newOrg(app);
    await invite(org, ada.email);
    expect((await entered('nowhere', ada)).orgSlugs).toEqual([org.slug]);
  });

  it('admits a removed member again as long as the provider accepts them', async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const ada = newAccount();
    const { id } = await enteredBy(slug, ada);
    await app.request('DELETE', `${org.path}/members/${id}`, { token: org.owner.token });
    expect(await enteredBy(slug, ada)).toMatchObject({ id, orgSlugs: [org.slug] });
  });

  it('ends with its own provider', async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    await app.request('DELETE', org.path, { token: org.owner.token });
    const answer = await exchange(app, slug, await world.foreign.idToken(newAccount()));
    expect(answer).toMatchObject({ status: 403, body: { error: 'TokenExchangeRefused' } });
  });
});

describe('a join rule', () => {
  async function orgWithRule(rule: object = {}, domain = newDomain()) {
    const org = await newOrg(app);
    await newRole(org, 'guest');
    await prove(app, org, domain);
    const body = { slug: 'visitors', name: 'Visitors' };
    await app.request('POST', `${org.path}/groups`, { token: org.owner.token, body });
    await change(org, { joinRules: [{ domain, roleSlug: 'guest', groups: ['visitors'], ...rule }] });
    return { org, domain };
  }

  it('admits a person of a domain whose last label is in Punycode, as a claim of the domain does', async () => {
    const { org, domain } = await orgWithRule({}, newDomain().replace(/[a-z]+$/, 'xn--p1ai'));
    const person = await entered('open', newAccount({ email: `ada@${domain}` }));
    expect(person).toMatchObject({ orgSlugs: [org.slug] });
  });

  it('admits a person with a verified address of the domain, with role and groups', async () => {
    const { org, domain } = await orgWithRule();
    const person = await entered('open', newAccount({ email: `Ada@${domain.toUpperCase()}` }));
    expect(person).toMatchObject({
      orgSlugs: [org.slug],
      org: { role: { slug: 'guest' }, groups: ['visitors'] },
    });
    const [grouped] = await events(app, org, 'orgs.members.grouped');
    expect(grouped).toMatchObject({
      target: { id: person.id },
      changes: { after: { groups: ['visitors'] } },
    });
  });

  it.each([
    ['an unverified address', (domain: string) => ({ email: `a@${domain}`, email_verified: false })],
    ['an address of a subdomain', (domain: string) => ({ email: `a@sub.${domain}` })],
    ['an address of a domain with the same ending', (domain: string) => ({ email: `a@x${domain}` })],
  ])('does not admit a person with %s', async (_, claims) => {
    const { domain } = await orgWithRule();
    expect((await entered('open', newAccount(claims(domain)))).orgSlugs).toEqual([]);
  });

  it.each([
    ['a domain that nobody has proved', async () => undefined],
    [
      'a domain that another organization has proved',
      async (domain: string) => prove(app, await newOrg(app), domain),
    ],
  ])('is refused for %s, unless an own provider names it', async (_, given) => {
    const [org, domain] = [await newOrg(app), newDomain()];
    await given(domain);
    const joinRules = [{ domain, roleSlug: 'member' }];
    const patch = () => app.request('PATCH', org.path, { token: org.owner.token, body: { joinRules } });
    const refused = await patch();
    expect([refused.status, refused.body.error]).toEqual([400, 'DomainNotProved']);
    expect(refused.body.details).toEqual({ domains: [domain] });
    const slug = await ownProvider(world, org, { domains: [domain] });
    expect((await patch()).body.joinRules).toEqual([{ domain, roleSlug: 'member', effective: true }]);
    const email = () => `${newSlug()}@${domain}`;
    expect((await entered('open', newAccount({ email: email() }))).orgSlugs).toEqual([]);
    expect((await enteredBy(slug, newAccount({ email: email() }))).orgSlugs).toEqual([org.slug]);
  });

  it('from before admits nobody without proof, stays, and is shown without effect', async () => {
    const { org, domain } = await orgWithRule();
    await app.sql('DELETE FROM org_domains WHERE org_id = $1', [org.id]);
    expect((await entered('open', newAccount({ email: `ada@${domain}` }))).orgSlugs).toEqual([]);
    const read = async () => (await app.request('GET', org.path, { token: org.owner.token })).body;
    const { joinRules } = await read();
    expect(joinRules).toEqual([{ domain, roleSlug: 'guest', groups: ['visitors'], effective: false }]);
    await change(org, { name: 'Renamed', joinRules });
    expect((await read()).joinRules).toEqual(joinRules);
    const changed = { joinRules: [{ ...joinRules[0], roleSlug: 'member' }] };
    const refused = await app.request('PATCH', org.path, { token: org.owner.token, body: changed });
    expect(refused.body.error).toBe('DomainNotProved');
  });

  it('does not bring back a person who was removed or has left, until an invitation does', async () => {
    const { org, domain } = await orgWithRule();
    const ada = newAccount({ email: `ada@${domain}` });
    const { id } = await entered('open', ada);
    const remove = () => app.request('DELETE', `${org.path}/members/${id}`, { token: org.owner.token });
    expect((await remove()).status).toBe(200);
    expect((await entered('open', ada)).orgSlugs).toEqual([]);
    await invite(org, ada.email);
    expect((await entered('open', ada)).orgSlugs).toEqual([org.slug]);
    expect(await app.sql('SELECT 1 FROM org_removals WHERE user_id = $1', [id])).toEqual([]);
    const { body } = await enter('open', ada);
    await app.request('DELETE', `${org.path}/members/${id}`, { token: body.token });
    expect((await entered('open', ada)).orgSlugs).toEqual([]);
    await app.sql('DELETE FROM users WHERE id = $1', [id]);
    expect(await app.sql('SELECT 1 FROM org_removals WHERE user_id = $1', [id])).toEqual([]);
  });

  it('leaves no invitation by which a removed person could return', async () => {
    const { org, domain } = await orgWithRule();
    const home = await newOrg(app);
    const ada = newAccount({ email: `ada@${domain}` });
    await change(org, { joinRules: [] });
    await invite(home, ada.email);
    const { id } = await entered('open', ada);
    await invite(org, ada.email, 'admin');
    await change(org, { joinRules: [{ domain, roleSlug: 'guest' }] });
    const { body } = await enter('open', ada);
    const invitations = async () =>
      (await app.request('GET', '/v2/user/invitations', { token: body.token })).body.results;
    expect((await me(body.token)).orgSlugs.sort()).toEqual([home.slug, org.slug].sort());
    await change(org, { joinRules: [] });
    await app.request('DELETE', `${org.path}/members/${id}`, { token: org.owner.token });
    expect(await invitations()).toEqual([]);
    expect((await entered('open', ada)).orgSlugs).toEqual([home.slug]);
    expect(await events(app, org, 'orgs.invites.accepted')).toEqual([]);
    expect(await events(app, org, 'orgs.invites.revoked')).toHaveLength(1);
  });

  it("of the provider's own organization takes precedence over its default role", async () => {
    const { org, domain } = await orgWithRule();
    const slug = await ownProvider(world, org);
    const ofDomain = await enteredBy(slug, newAccount({ email: `ada@${domain}` }));
    expect(ofDomain.org).toMatchObject({ role: { slug: 'guest' }, groups: ['visitors'] });
    expect((await enteredBy(slug, newAccount())).org.role.slug).toBe('member');
  });

  it("of another organization does not admit anyone through an organization's own provider", async () => {
    const { domain } = await orgWithRule();
    const org = await newOrg(app);
    const person = await enteredBy(await ownProvider(world, org), newAccount({ email: `ada@${domain}` }));
    expect(person.orgSlugs).toEqual([org.slug]);
  });
});

describe('the domains of a provider', () => {
  const outside = () => newAccount();
  const unverified = () => newAccount({ email: `${newSlug()}@limited.example`, email_verified: false });

  it('admit their addresses', async () => {
    const ada = newAccount({ email: `${newSlug()}@Limited.Example` });
    expect((await entered('limited-staff', ada)).orgSlugs).toEqual(['default']);
  });

  it.each([
    ['outside them', outside],
    ['in them that is not verified', unverified],
  ])('do not admit to the organization an address %s', async (_, account) => {
    const before = await users();
    expect(await enter('limited-staff', account())).toMatchObject({
      status: 403,
      body: { error: 'OrganizationRequired' },
    });
    expect(await users()).toBe(before);
  });

  it.each([
    ['outside them', outside],
    ['in them that is not verified', unverified],
  ])('do not let an address %s accept an invitation or link to an account', async (_, account) => {
    const ada = account();
    const org = await newOrg(app);
    await invite(org, ada.email);
    const owner = await entered('open', { ...newAccount(), email: ada.email });
    expect(owner.orgSlugs).toEqual([org.slug]);
    const person = await entered('limited', ada);
    expect(person).toMatchObject({ email: null, orgSlugs: [] });
    expect(person.id).not.toBe(owner.id);
  });
});

describe('fifty concurrent first logins on two instances', () => {
  it('create one account with one membership, and use its invitation once', async () => {
    const other = await world.another();
    const ada = newAccount();
    const [org, open] = [await newOrg(app), await newOrg(app)];
    await invite(org, ada.email);
    await prove(app, open, 'example.com');
    await change(open, { joinRules: [{ domain: 'example.com', roleSlug: 'member' }] });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => enter('staff', ada, n % 2 ? app : other)),
    );
    await change(open, { joinRules: [] });
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(50);
    const [id] = [...ids] as [string];
    const memberships = await app.sql('SELECT org_id FROM org_memberships WHERE user_id = $1', [id]);
    expect(memberships).toHaveLength(3);
    expect(await app.sql('SELECT uses FROM org_invites WHERE org_id = $1', [org.id])).toEqual([{ uses: 1 }]);
    expect(await events(app, org, 'orgs.invites.accepted')).toHaveLength(1);
    expect(await platformEvents(app, id)).toEqual(['users.created', 'identities.linked']);
  });

  it('create one account, also without an e-mail address', async () => {
    const other = await world.another();
    const { sub } = newAccount();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => enter('open', { sub }, n % 2 ? app : other)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('with one address at two providers create one account', async () => {
    const other = await world.another();
    const { email } = newAccount();
    const identities = [newAccount({ email }), newAccount({ email })];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        enter(n % 3 ? 'open' : 'staff', identities[n % 3 ? 0 : 1] as object, n % 2 ? app : other),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await app.sql('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
  });
});
