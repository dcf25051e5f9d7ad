import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Users } from '../../../src/features/identity/users.service.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { type MailServer, startMailServer } from '../../harness/mail-server.js';
import { MovedClock, type Person, signIn } from '../auth/person.js';
import { events, newDomain, newMember, newOrg, newSlug, prove, type TestOrg } from '../orgs/org.js';

let server: MailServer;
/** EMAIL_LOGIN=signup, the default. */
let app: TestApp;
/** EMAIL_LOGIN=on, with the database of `app`. */
let open: TestApp;
let org: TestOrg;
const clock = new MovedClock();

beforeAll(async () => {
  server = await startMailServer();
  app = await startOwnApp({ database: 'own', environment: server.environment, clock });
  const url = app.settings.DATABASE_URL as string;
  open = await startOwnApp({
    database: { url },
    environment: { ...server.environment, EMAIL_LOGIN: 'on' },
  });
  org = await newShop();
});
afterAll(async () => {
  await app.close();
  await open.close();
  await server.close();
});

const address = (domain = 'example.com') => `${randomBytes(6).toString('hex')}@${domain}`;

/** An organization whose customers sign up by e-mail. */
async function newShop(signUp: object = {}): Promise<TestOrg> {
  const shop = await newOrg(app);
  const role = { slug: 'customer', name: 'Customer', permissions: ['collections:read', 'collections:write'] };
  await app.request('POST', `${shop.path}/roles`, { ...shop.owner, body: role });
  await change(shop, { signUp: { email: true, roleSlug: 'customer', ...signUp } });
  return shop;
}

async function change({ path, owner }: TestOrg, body: object): Promise<void> {
  const { status, text } = await app.request('PATCH', path, { ...owner, body });
  if (status !== 200) throw new Error(text);
}

const start = (body: object, at = app, headers: Record<string, string> = {}) =>
  at.request('POST', '/v2/login/email', { body, headers });

const verify = ({ login_id, code }: { login_id: string; code: string }, at = app, more: object = {}) =>
  at.request('POST', '/v2/login/email/verify', { body: { login_id, code }, ...more });

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

const verifyPage = (body: object, headers: Record<string, string> = {}, at = app) =>
  at.request('POST', '/v2/login/email/verify/session', { body, headers: { ...SAME_ORIGIN, ...headers } });

interface Mailed {
  readonly login_id: string;
  readonly code: string;
  readonly link: string;
  /** The Cookie header of the browser that began it. */
  readonly cookie: string;
  readonly text: string;
}

/** Begins a sign-in and reads its mail. */
async function mailed(email: string, more: object = { orgSlug: org.slug }, at = app): Promise<Mailed> {
  const { status, body, headers } = await start({ email, ...more }, at);
  if (status !== 202) throw new Error(`${status}`);
  if (!(await wasMailed({ body }))) throw new Error('no mail was sent');
  const text = await loginText(email);
  const code = /^ {4}(\S+)$/m.exec(text)?.[1] as string;
  const link = /\/v2\/login\/email\/link#(\S+)$/m.exec(text)?.[1] as string;
  const cookie = headers.getSetCookie()[0]?.split(';')[0] as string;
  return { login_id: body.login_id, code, link, cookie, text };
}

/** Texts of sign-in mails that were read. */
const read = new Set<string>();

/** The next mail about a sign-in of an address. */
async function loginText(email: string): Promise<string> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    const mail = server.mails.find(
      ({ to, text }) => to.includes(email) && text.includes('/v2/login/email/link#') && !read.has(text),
    );
    if (mail !== undefined) {
      read.add(mail.text);
      return mail.text;
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error(`no mail about a sign-in came to ${email}`);
}

/** Signs in by the code. */
async function entered(email: string, more?: object, at = app, headers = {}): Promise<Person> {
  const { login_id, code } = await mailed(email, more, at);
  const { status, body, text } = await verify({ login_id, code }, at, headers);
  if (status !== 200) throw new Error(text);
  return body;
}

const me = async ({ token }: Pick<Person, 'token'>, at = app) =>
  (await at.request('GET', '/v2/me', { token })).body;

/** True once the sign-in was decided; whether it has a code shows whether a mail was sent. */
async function wasMailed({ body }: Pick<TestResponse, 'body'>): Promise<boolean> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    const [row] = await app.sql('SELECT * FROM email_logins WHERE id = $1', [body.login_id]);
    if (row.decided_at !== null) return row.code_hash !== null;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error('it was not decided');
}

async function account(email: string, more: object = {}): Promise<Person> {
  const user = await app.nest
    .get(DataSource)
    .transaction(manager => app.nest.get(Users).create(manager, { email, emailVerified: true, ...more }));
  return signIn(app, user.id);
}

async function anonymous(orgSlug?: string): Promise<Person> {
  const body = orgSlug === undefined ? {} : { orgSlug };
  return (await app.request('POST', '/v2/login/anonymous', { body })).body;
}

const refusal = ({ status, body }: TestResponse) => [status, body.error, body.message];
const REFUSED = [401, 'Unauthorized', 'The credential is missing, invalid or expired.'];

describe('a sign-in by e-mail', () => {
  it('signs a new person up to the organization, with its role and groups, by a code of 8 letters', async () => {
    await app.request('POST', `${org.path}/groups`, {
      ...org.owner,
      body: { slug: 'buyers', name: 'Buyers' },
    });
    await change(org, { signUp: { email: true, roleSlug: 'customer', groups: ['buyers'] } });
    const email = address();
    const { login_id, code, text } = await mailed(email);
    expect(Buffer.from(login_id, 'base64url')).toHaveLength(16);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(text).toContain('within 10 minutes');
    const { status, body } = await verify({ login_id, code });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['active_org', 'expires', 'sessionId', 'token', 'userId']);
    expect(body.active_org).toBe(org.slug);
    expect(await me(body)).toMatchObject({
      id: body.userId,
      email,
      org: { slug: org.slug, role: { slug: 'customer' }, groups: ['buyers'] },
    });
    const { body: list } = await app.request('GET', `${org.path}/members?limit=100`, org.owner);
    const member = list.results.find((each: { userId: string }) => each.userId === body.userId);
    expect(member).toMatchObject({ roleSlug: 'customer', via: 'signUp', emailVerified: true });
    const added = await events(app, org, 'orgs.members.added');
    expect(added.at(-1)?.changes.after).toEqual({ roleSlug: 'customer', via: 'signUp' });
  });

  it('signs the same person in to the same account the next time, with another session', async () => {
    const email = address();
    const first = await entered(email);
    const again = await entered(email.toUpperCase().replace('EXAMPLE.COM', 'example.com'));
    expect(again.userId).toBe(first.userId);
    expect(again.sessionId).not.toBe(first.sessionId);
    expect((await me(first)).id).toBe(first.userId);
  });

  it('takes the code in any case, with or without hyphen', async () => {
    const { login_id, code } = await mailed(address());
    const typed = ` ${code.toLowerCase().replace('-', ' ')} `;
    expect((await verify({ login_id, code: typed })).status).toBe(200);
  });

  it('is in French if the request asks for it', async () => {
    const email = address();
    await start({ email, orgSlug: org.slug }, app, { 'accept-language': 'fr' });
    const { subject, text } = await server.mailTo(email);
    expect(subject).toBe('Connexion à Acme');
    expect(text).toContain('pendant 10 minutes');
  });

  it('makes people who sign up neither see others nor create anything', async () => {
    const { token } = await entered(address());
    for (const list of ['members', 'groups', 'roles', 'agents'])
      expect((await app.request('GET', `${org.path}/${list}`, { token })).status).toBe(403);
    const created = await app.request('POST', '/v2/orgs', { token, body: { slug: newSlug(), name: 'Own' } });
    const collection = await app.request('POST', '/v1/collections', { token, body: { name: 'own' } });
    expect([created.status, collection.status]).toEqual([403, 403]);
  });

  it('is listed among the ways to sign in where it is offered', async () => {
    const offered = async (path: string, at: TestApp) => (await at.request('GET', path)).body.email;
    const other = await newOrg(app);
    expect(await offered('/v2/login/providers', app)).toBeUndefined();
    expect(await offered(`/v2/login/providers?orgSlug=${org.slug}`, app)).toBe(true);
    expect(await offered(`/v2/login/providers?orgSlug=${other.slug}`, app)).toBeUndefined();
    expect(await offered('/v2/login/providers?orgSlug=unknown', app)).toBeUndefined();
    expect(await offered('/v2/login/providers', open)).toBe(true);
    const { body } = await app.request('GET', '/v2/features', org.owner);
    expect(body).toMatchObject({ mail: true, email_login: 'signup' });
  });
});

describe('whoever asks', () => {
  it('gets the same 202 and no mail for every address that is refused', async () => {
    const off = await newOrg(app);
    const picky = await newShop({ domains: ['picky.example'] });
    const disabled = address();
    await account(disabled);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE email = $1`, [disabled]);
    const owner = address();
    const leader = await account(owner);
    await app.request('POST', '/v2/orgs', { ...leader, body: { slug: newSlug(), name: 'Own' } });
    const cases = {
      'an unknown organization': { email: address(), orgSlug: 'unknown' },
      'no organization': { email: address() },
      'sign-up is off': { email: address(), orgSlug: off.slug },
      'another domain': { email: address(), orgSlug: picky.slug },
      'a disabled account': { email: disabled, orgSlug: org.slug },
      'an owner of some organization': { email: owner, orgSlug: org.slug },
      'an address with a meaning in headers': { email: '"a,b"@example.com', orgSlug: org.slug },
    };
    const admitted = await start({ email: address(), orgSlug: org.slug });
    for (const [name, body] of Object.entries(cases)) {
      const answer = await start(body);
      expect([name, answer.status, Object.keys(answer.body)]).toEqual([
        name,
        202,
        Object.keys(admitted.body),
      ]);
      expect(answer.headers.getSetCookie()).toHaveLength(1);
      expect([name, await wasMailed(answer)]).toEqual([name, false]);
      const guess = { login_id: answer.body.login_id, code: 'BCDF-GHJK' };
      expect([name, ...refusal(await verify(guess))]).toEqual([name, ...REFUSED]);
    }
    expect(await wasMailed(admitted)).toBe(true);
  });

  it('waits for neither a look-up nor a mail: every request writes one row', async () => {
    const bodies = [
      { email: address(), orgSlug: org.slug },
      { email: address(), orgSlug: 'unknown' },
    ];
    for (const body of bodies) {
      const { body: answer } = await start(body);
      const [row] = await app.sql('SELECT tries, used_at FROM email_logins WHERE id = $1', [answer.login_id]);
      expect(row).toEqual({ tries: 0, used_at: null });
    }
  });

  it('causes at most five mails to an address within an hour, whichever organization is named', async () => {
    const email = address();
    const other = await newShop();
    const answers = [];
    for (let n = 0; n < 6; n++)
      answers.push(await start({ email, orgSlug: n % 2 === 0 ? org.slug : other.slug }));
    const sent = await Promise.all(answers.map(wasMailed));
    expect(sent.filter(Boolean)).toHaveLength(5);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
    await app.sql(`UPDATE mail_outbox SET created_at = created_at - interval '61 minutes'`);
    expect(await wasMailed(await start({ email, orgSlug: org.slug }))).toBe(true);
  });

  it('gets 400 for a text that is no address, and for a redirect to another site', async () => {
    expect((await start({ email: 'nobody' })).status).toBe(400);
    const redirect = 'https://evil.example/';
    expect((await start({ email: address(), orgSlug: org.slug, redirect })).status).toBe(400);
  });

  it('gets 403 where sign-in by e-mail is off', async () => {
    const url = app.settings.DATABASE_URL as string;
    const off = await startOwnApp({
      database: { url },
      environment: { ...server.environment, EMAIL_LOGIN: 'off' },
    });
    try {
      expect((await start({ email: address(), orgSlug: org.slug }, off)).status).toBe(403);
      const { body } = await off.request('GET', `/v2/login/providers?orgSlug=${org.slug}`);
      expect(body.email).toBeUndefined();
    } finally {
      await off.close();
    }
  });
});

describe('a code', () => {
  it('works once', async () => {
    const { login_id, code, link } = await mailed(address());
    expect((await verify({ login_id, code })).status).toBe(200);
    expect(refusal(await verify({ login_id, code }))).toEqual(REFUSED);
    expect(refusal(await verifyPage({ link }))).toEqual(REFUSED);
  });

  it('opens one session when it is sent twice at the same time', async () => {
    const { login_id, code } = await mailed(address());
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify({ login_id, code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  });

  it('ends after five tries, also for the right code, and when they come at once', async () => {
    const { login_id, code } = await mailed(address());
    const wrong = code.startsWith('B') ? 'CCCC-CCCC' : 'BBBB-BBBB';
    const tries = await Promise.all([1, 2, 3, 4, 5].map(() => verify({ login_id, code: wrong })));
    for (const answer of tries) expect(refusal(answer)).toEqual(REFUSED);
    expect(refusal(await verify({ login_id, code }))).toEqual(REFUSED);
  });

  it('still works at the fifth try', async () => {
    const { login_id, code } = await mailed(address());
    for (let n = 0; n < 4; n++) await verify({ login_id, code: 'XXXX-XXXX' });
    expect((await verify({ login_id, code })).status).toBe(200);
  });

  it('belongs to its sign-in: neither an unknown nor another login_id accepts it', async () => {
    const first = await mailed(address());
    const second = await mailed(address());
    expect(refusal(await verify({ login_id: second.login_id, code: first.code }))).toEqual(REFUSED);
    const unknown = randomBytes(16).toString('base64url');
    expect(refusal(await verify({ login_id: unknown, code: first.code }))).toEqual(REFUSED);
  });

  it('ends after 10 minutes', async () => {
    const { login_id, code, link } = await mailed(address());
    clock.move(601);
    try {
      expect(refusal(await verify({ login_id, code }))).toEqual(REFUSED);
      expect(refusal(await verifyPage({ link }))).toEqual(REFUSED);
    } finally {
      clock.move(-601);
    }
  });

  it('does not sign in somebody who became an owner, was disabled, or whose organization ended the sign-up', async () => {
    const shop = await newShop();
    const email = address();
    const { userId } = await entered(email, { orgSlug: shop.slug });
    const asOwner = await mailed(email, { orgSlug: shop.slug });
    await app.sql(`UPDATE org_memberships SET role_slug = 'owner' WHERE user_id = $1`, [userId]);
    expect(refusal(await verify(asOwner))).toEqual(REFUSED);
    await app.sql(`UPDATE org_memberships SET role_slug = 'customer' WHERE user_id = $1`, [userId]);
    const disabled = await mailed(email, { orgSlug: shop.slug });
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
    expect(refusal(await verify(disabled))).toEqual(REFUSED);
    await app.sql(`UPDATE users SET status = 'active' WHERE id = $1`, [userId]);
    const ended = await mailed(email, { orgSlug: shop.slug });
    await change(shop, { signUp: { email: false, roleSlug: 'customer' } });
    expect(refusal(await verify(ended))).toEqual(REFUSED);
  });

  it('is in the database only as a hash, and the address only encrypted', async () => {
    const email = address();
    const { login_id, code, link } = await mailed(email);
    const rows = JSON.stringify(await app.sql('SELECT * FROM email_logins WHERE id = $1', [login_id]));
    for (const secret of [email, code, code.replace('-', ''), link]) expect(rows).not.toContain(secret);
  });
});

describe('a page', () => {
  it('sets the cookie only in the browser that began the sign-in, and has no token in its body', async () => {
    const { login_id, code, cookie } = await mailed(address());
    expect(refusal(await verifyPage({ login_id, code }))).toEqual(REFUSED);
    const other = `email-login=${randomBytes(32).toString('base64url')}`;
    expect(refusal(await verifyPage({ login_id, code }, { cookie: other }))).toEqual(REFUSED);
    const { status, body, headers } = await verifyPage({ login_id, code }, { cookie });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['active_org', 'userId']);
    expect(headers.getSetCookie()[0]).toMatch(/^access-token=.*HttpOnly/);
  });

  it('needs proof that the request comes from the platform, and no try is used up without it', async () => {
    const { login_id, code, cookie, link } = await mailed(address());
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site, cookie };
      for (const sent of [{ login_id, code }, { link }]) {
        const answer = await app.request('POST', '/v2/login/email/verify/session', { body: sent, headers });
        expect([answer.status, answer.body.error]).toEqual([403, 'CsrfRefused']);
      }
    }
    const [{ tries }] = await app.sql('SELECT tries FROM email_logins WHERE id = $1', [login_id]);
    expect(tries).toBe(0);
    expect((await verifyPage({ login_id, code }, { cookie })).status).toBe(200);
  });

  it('keeps one cookie for all sign-ins of a browser', async () => {
    const first = await mailed(address());
    const answer = await start({ email: address(), orgSlug: org.slug }, app, { cookie: first.cookie });
    const [kept] = answer.headers.getSetCookie();
    expect(kept?.split(';')[0]).toBe(first.cookie);
    expect(kept).toMatch(/HttpOnly.*SameSite=Strict/);
  });
});

describe('the link of the mail', () => {
  const read = (link: string) => app.request('POST', '/v2/login/email/link', { body: { link } });

  it('has a secret of its own in the fragment, and opens a page that needs nothing from other sites', async () => {
    const { link, login_id, code } = await mailed(address());
    expect(Buffer.from(link, 'base64url')).toHaveLength(16);
    expect(link).not.toBe(login_id);
    expect(code).not.toContain(link);
    const { status, text, headers } = await app.request('GET', '/v2/login/email/link');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(text).not.toContain(link);
    expect(headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+'; connect-src 'self'/);
    const french = await app.request('GET', '/v2/login/email/link', { headers: { 'accept-language': 'fr' } });
    expect(french.text).toContain('<html lang="fr">');
  });

  it('shows address and organization, and is not used up by that', async () => {
    const email = address();
    const { link } = await mailed(email, { orgSlug: org.slug, redirect: '/docs' });
    for (let n = 0; n < 6; n++) {
      const { status, body } = await read(link);
      expect([status, body]).toEqual([200, { email, orgName: 'Acme', redirect: `${app.url}/docs` }]);
    }
    expect(refusal(await read(randomBytes(16).toString('base64url')))).toEqual(REFUSED);
  });

  it('signs in any browser, once, and uses up the code', async () => {
    const { link, login_id, code } = await mailed(address());
    const answers = await Promise.all([verifyPage({ link }), verifyPage({ link })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(refusal(await verify({ login_id, code }))).toEqual(REFUSED);
    expect(refusal(await read(link))).toEqual(REFUSED);
  });

  it('is not accepted with a code, nor by the operation of programs', async () => {
    const { link, login_id, code } = await mailed(address());
    expect((await verifyPage({ link, login_id, code })).status).toBe(400);
    expect((await verifyPage({ login_id })).status).toBe(400);
    const asProgram = await app.request('POST', '/v2/login/email/verify', { body: { link } });
    expect(asProgram.status).toBe(400);
    expect(refusal(await verify({ login_id, code: link }))).toEqual(REFUSED);
  });
});

describe('the account', () => {
  it('is never one that only carries the address, which loses it', async () => {
    const email = address();
    const carrier = await account(email, { emailVerified: false });
    const { userId } = await entered(email);
    expect(userId).not.toBe(carrier.userId);
    const [row] = await app.sql('SELECT email, email_verified FROM users WHERE id = $1', [carrier.userId]);
    expect(row).toEqual({ email: null, email_verified: false });
    expect((await me(carrier)).id).toBe(carrier.userId);
  });

  it('is never the one that is signed in at the time', async () => {
    const present = await account(address());
    const { login_id, code } = await mailed(address());
    const { body } = await verify({ login_id, code }, app, { token: present.token });
    expect(body.userId).not.toBe(present.userId);
    expect((await me(present)).id).toBe(present.userId);
  });

  it('is the anonymous one of the request, which keeps its id, gets the role of sign-up and ends its sessions', async () => {
    const shop = await newShop();
    await app.request('POST', `${shop.path}/roles`, {
      ...shop.owner,
      body: { slug: 'visitor', name: 'Visitor', permissions: ['collections:read'] },
    });
    await change(shop, { auth: { anonymous: { enabled: true, role: 'visitor' } } });
    const visitor = await anonymous(shop.slug);
    const elsewhere = await signIn(app, visitor.userId);
    const email = address();
    const { login_id, code } = await mailed(email, { orgSlug: shop.slug });
    const { body } = await verify({ login_id, code }, app, { token: visitor.token });
    expect(body.userId).toBe(visitor.userId);
    expect(body.sessionId).not.toBe(visitor.sessionId);
    for (const { token } of [visitor, elsewhere])
      expect((await app.request('GET', '/v2/me', { token })).status).toBe(401);
    expect(await me(body)).toMatchObject({ email, org: { slug: shop.slug, role: { slug: 'customer' } } });
    const { body: list } = await app.request('GET', `${shop.path}/members`, shop.owner);
    const member = list.results.find((each: { userId: string }) => each.userId === visitor.userId);
    expect(member).toMatchObject({ roleSlug: 'customer', via: 'signUp' });
  });

  it('stays limited where it had joined anonymously', async () => {
    const other = await newShop();
    await change(other, { auth: { anonymous: { enabled: true, role: 'customer' } } });
    const visitor = await anonymous(other.slug);
    const { login_id, code } = await mailed(address());
    const { body } = await verify({ login_id, code }, app, { token: visitor.token });
    expect(body.userId).toBe(visitor.userId);
    const { status } = await app.request('GET', `${other.path}/members`, { token: body.token });
    expect(status).toBe(403);
  });

  it('is the one with the proven address, also for an anonymous visitor, whose account stays as it was', async () => {
    const email = address();
    const { userId } = await entered(email);
    const visitor = await anonymous();
    const { login_id, code } = await mailed(email);
    const { body } = await verify({ login_id, code }, app, { token: visitor.token });
    expect(body.userId).toBe(userId);
    expect((await me(visitor)).id).toBe(visitor.userId);
  });

  it('is not that of a cookie that another site has sent', async () => {
    const visitor = await anonymous();
    const cookie = `access-token=${visitor.token}`;
    const first = await mailed(address());
    const forged = await verify(first, app, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(forged.body.userId).not.toBe(visitor.userId);
    const second = await mailed(address());
    const own = await verifyPage(
      { login_id: second.login_id, code: second.code },
      { cookie: `${second.cookie}; ${cookie}` },
    );
    expect(own.body.userId).toBe(visitor.userId);
  });

  it('is one when two browsers sign up with the same address at the same time', async () => {
    const email = address();
    const logins = [await mailed(email), await mailed(email)];
    const answers = await Promise.all(logins.map(({ login_id, code }) => verify({ login_id, code })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.userId)).size).toBe(1);
  });

  it('does not come back after it was removed, until it is invited', async () => {
    const shop = await newShop();
    const email = address();
    const { userId } = await entered(email, { orgSlug: shop.slug });
    const removed = await app.request('DELETE', `${shop.path}/members/${userId}`, shop.owner);
    expect(removed.status).toBe(200);
    expect(await wasMailed(await start({ email, orgSlug: shop.slug }))).toBe(false);
    await app.request('POST', `${shop.path}/invites`, { ...shop.owner, body: { email, roleSlug: 'member' } });
    const again = await entered(email, { orgSlug: shop.slug });
    expect(again.userId).toBe(userId);
    expect((await me(again)).org.role.slug).toBe('member');
    expect((await app.request('GET', `${shop.path}/members`, again)).status).toBe(200);
  });

  it('keeps the role that a manager gave it', async () => {
    const email = address();
    const { userId } = await entered(email);
    await app.request('PATCH', `${org.path}/members/${userId}`, {
      ...org.owner,
      body: { roleSlug: 'member' },
    });
    expect((await me(await entered(email))).org.role.slug).toBe('member');
  });
});

describe('an invitation', () => {
  it('is claimed in the organization of the sign-in only', async () => {
    const other = await newShop();
    const email = address();
    for (const { path, owner } of [org, other])
      await app.request('POST', `${path}/invites`, { ...owner, body: { email, roleSlug: 'member' } });
    const { organizations } = await me(await entered(email));
    expect(organizations).toMatchObject([{ slug: org.slug, roleSlug: 'member' }]);
    expect(organizations).toHaveLength(1);
  });

  it('admits an address of another domain', async () => {
    const picky = await newShop({ domains: ['picky.example'] });
    const email = address();
    await app.request('POST', `${picky.path}/invites`, {
      ...picky.owner,
      body: { email, roleSlug: 'customer' },
    });
    expect((await me(await entered(email, { orgSlug: picky.slug }))).org.slug).toBe(picky.slug);
  });

  it('as owner or admin is not claimed by e-mail unless EMAIL_LOGIN is on', async () => {
    for (const roleSlug of ['owner', 'admin']) {
      const email = address();
      await app.request('POST', `${org.path}/invites`, { ...org.owner, body: { email, roleSlug } });
      expect(await wasMailed(await start({ email, orgSlug: org.slug }))).toBe(false);
      const person = await entered(email, { orgSlug: org.slug }, open);
      expect((await me(person, open)).org.role.slug).toBe(roleSlug);
    }
  });
});

describe('EMAIL_LOGIN=on', () => {
  it('signs in everybody who has proven an address, and nobody else', async () => {
    const email = address();
    const { userId } = await account(email);
    const leader = await newMember(app, org, 'admin');
    const [{ email: ofLeader }] = await app.sql('SELECT email FROM users WHERE id = $1', [leader.userId]);
    expect((await entered(email, {}, open)).userId).toBe(userId);
    expect((await entered(ofLeader, {}, open)).userId).toBe(leader.userId);
    const carried = address();
    await account(carried, { emailVerified: false });
    for (const unknown of [address(), carried])
      expect(await wasMailed(await start({ email: unknown }, open))).toBe(false);
  });

  it('follows invitations and join rules, as the operator’s provider does', async () => {
    const domain = newDomain();
    const ruled = await newOrg(app);
    await prove(app, ruled, domain);
    await change(ruled, { joinRules: [{ domain, roleSlug: 'member' }] });
    const person = await entered(address(domain), {}, open);
    expect((await me(person, open)).organizations).toMatchObject([{ slug: ruled.slug, roleSlug: 'member' }]);
    const email = address();
    const inviting = await newOrg(app);
    await app.request('POST', `${inviting.path}/invites`, {
      ...inviting.owner,
      body: { email, roleSlug: 'admin' },
    });
    const invited = await entered(email, {}, open);
    expect((await me(invited, open)).organizations).toMatchObject([
      { slug: inviting.slug, roleSlug: 'admin' },
    ]);
  });

  it('signs members in to an organization without sign-up', async () => {
    const closed = await newOrg(app);
    const member = await newMember(app, closed);
    const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [member.userId]);
    expect((await entered(email, { orgSlug: closed.slug }, open)).userId).toBe(member.userId);
    expect(await wasMailed(await start({ email: address(), orgSlug: closed.slug }, open))).toBe(false);
  });
});
