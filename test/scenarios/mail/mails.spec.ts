import { randomBytes } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailOutbox } from '../../../src/platform/mail/mail-outbox.service.js';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type MailServer, startMailServer } from '../../harness/mail-server.js';
import { person } from '../auth/person.js';
import { emailOf, enter, newOrg, type TestOrg } from '../orgs/org.js';

let server: MailServer;
let app: TestApp;
let org: TestOrg;

beforeAll(async () => {
  server = await startMailServer();
  app = await startOwnApp({ environment: server.environment });
  org = await newOrg(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const address = () => `${randomBytes(6).toString('hex')}@example.com`;

const invite = (email: string, at = app, to = org, headers: Record<string, string> = {}) =>
  at.request('POST', `${to.path}/invites`, { ...to.owner, body: { email, roleSlug: 'member' }, headers });

const rows = (at = app) => at.sql('SELECT * FROM mail_outbox ORDER BY created_at');

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 15_000; Date.now() < end; ) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen');
}

describe('an invitation', () => {
  it('is mailed to its address, with the link of the response', async () => {
    const email = address();
    const { status, body } = await invite(email);
    expect([status, body.mailed]).toEqual([201, true]);
    const mail = await server.mailTo(email);
    expect(mail.subject).toBe('Invitation to Acme');
    expect(mail.text).toContain(body.url);
    expect(mail.headers).toMatchObject({
      from: 'Service <no-reply@service.example>',
      'auto-submitted': 'auto-generated',
    });
  });

  it('is in French if the request asks for it', async () => {
    const email = address();
    await invite(email, app, org, { 'accept-language': 'fr-CA, en;q=0.5' });
    const mail = await server.mailTo(email);
    expect(mail.subject).toBe('Invitation à rejoindre Acme');
    expect(mail.text).toContain('Vous êtes invité à rejoindre');
  });

  it('without a code tells the person where to sign in', async () => {
    const email = address();
    const { body } = await app.request('POST', `${org.path}/members`, {
      ...org.owner,
      body: { users: [{ email }] },
    });
    expect(body.invitations).toMatchObject([{ email, mailed: true }]);
    const { text } = await server.mailTo(email);
    expect(text).toContain(`${app.url}/console\n`);
  });

  it('for anyone with the code, or for an address that has a meaning in headers, is not mailed', async () => {
    const anyone = await app.request('POST', `${org.path}/invites`, {
      ...org.owner,
      body: { roleSlug: 'member' },
    });
    expect(anyone.body).not.toHaveProperty('mailed');
    for (const email of [
      'a,b@example.com',
      '<a>@example.com',
      '"a"@example.com',
      'a@exa\u212ample.com',
      'a@b@c',
    ]) {
      const { body } = await invite(email);
      expect([email, body.mailed]).toEqual([email, undefined]);
    }
  });

  it('cannot lead to another site by the name of its organization', async () => {
    const name = 'Win http://evil.example/now\r\nBcc: all@evil.example';
    const evil = await newOrg(app);
    await app.sql('UPDATE orgs SET name = $2 WHERE id = $1', [evil.id, name]);
    const email = address();
    await invite(email, app, evil);
    const { subject, text, headers } = await server.mailTo(email);
    expect(headers).not.toHaveProperty('bcc');
    for (const part of [subject, text]) expect(part).not.toMatch(/evil\.example|http:\/\/evil/);
  });

  it('is mailed to one address at most five times within an hour', async () => {
    const email = address();
    const told = [];
    for (let n = 0; n < 6; n++) told.push((await invite(email, app, await newOrg(app))).body.mailed);
    expect(told).toEqual([true, true, true, true, true, undefined]);
    await server.mailTo(email, 5);
    await app.sql(`UPDATE mail_outbox SET created_at = created_at - interval '61 minutes'`);
    expect((await invite(email, app, await newOrg(app))).body.mailed).toBe(true);
  });
});

describe('a recovery link', () => {
  const recover = (userId: string) =>
    app.request('POST', `${org.path}/members/${userId}/recovery-link`, org.owner);

  async function member(): Promise<string> {
    const joined = await person(app);
    await enter(app, org, joined);
    await app.sql('UPDATE users SET home_org_id = $2 WHERE id = $1', [joined.userId, org.id]);
    return joined.userId;
  }

  it('is mailed to an address that the account has proven', async () => {
    const userId = await member();
    const { status, body } = await recover(userId);
    expect([status, body.mailed]).toEqual([201, true]);
    const email = await emailOf(app, { userId });
    // The invitation is sent beside it, so either may arrive first.
    await server.mailTo(email, 2);
    const texts = server.mails.filter(({ to }) => to.includes(email)).map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining(body.url));
  });

  it('is mailed to an unproven address only if the person was invited by it', async () => {
    const userId = await member();
    await app.sql('UPDATE users SET email_verified = false WHERE id = $1', [userId]);
    expect((await recover(userId)).body.mailed).toBe(true);
    await app.sql('UPDATE org_memberships SET known_email = NULL WHERE user_id = $1', [userId]);
    const { status, body } = await recover(userId);
    expect([status, body.mailed]).toEqual([201, undefined]);
    expect(body.url).toContain('/v2/login/recovery?code=');
  });
});

describe('the outbox', () => {
  it('holds no address and no link in plain text, and no content after the mail was sent', async () => {
    const email = address();
    const { body } = await invite(email);
    await server.mailTo(email);
    const sent = await until(async () => (await rows()).find(({ sent_at }) => sent_at !== null));
    expect(sent).toMatchObject({ sealed: null, due_at: null });
    expect(JSON.stringify(await rows())).not.toContain(email);
    expect(JSON.stringify(await rows())).not.toContain(body.code);
  });

  it('is emptied of old mails by a job', async () => {
    await until(async () => ((await rows()).every(({ due_at }) => due_at === null) ? true : undefined));
    await app.sql(
      `UPDATE mail_outbox SET created_at = created_at - interval '3 hours', sent_at = sent_at - interval '3 hours'`,
    );
    expect(await app.nest.get(MailOutbox).removeOld()).toBeGreaterThan(0);
    expect(await rows()).toEqual([]);
  });
});

describe('a mail', () => {
  let other: TestApp | undefined;
  const servers: MailServer[] = [];
  const closing: (() => void)[] = [];
  afterAll(async () => {
    for (const close of closing) close();
    for (const each of servers) await each.close();
    await other?.close();
  });

  async function started(environment: Record<string, string>): Promise<[TestApp, TestOrg]> {
    await other?.close();
    other = await startOwnApp({ database: 'own', environment });
    return [other, await newOrg(other)];
  }

  /** A server that accepts connections and says nothing. */
  async function silent(): Promise<string> {
    const sockets: Socket[] = [];
    const tcp: Server = createServer(socket => sockets.push(socket));
    await new Promise<void>(resolve => tcp.listen(0, '127.0.0.1', () => resolve()));
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    });
    return `smtp://127.0.0.1:${(tcp.address() as { port: number }).port}`;
  }

  it('delays no request when the server is silent, and is tried again', async () => {
    const [at, to] = await started({ MAIL_URL: await silent(), MAIL_FROM: 'a@b.example' });
    const began = performance.now();
    const { status, body } = await invite(address(), at, to);
    expect([status, body.mailed]).toEqual([201, true]);
    expect(performance.now() - began).toBeLessThan(2_000);
    const tried = await until(async () => (await rows(at)).find(({ attempts }) => attempts >= 2));
    expect(tried.sent_at).toBeNull();
  });

  it('waits for a server that is down, and is sent once when it is back', async () => {
    const first = await startMailServer();
    const { url, environment } = first;
    await first.close();
    const [at, to] = await started({ ...environment });
    const email = address();
    await invite(email, at, to);
    await until(async () => (await rows(at)).find(({ attempts }) => attempts >= 1));
    const back = await startMailServer();
    servers.push(back);
    const { port } = new URL(url);
    const relay = createServer(socket => {
      const target = connect(Number(new URL(back.url).port), '127.0.0.1');
      socket.pipe(target).pipe(socket);
      socket.on('error', () => undefined);
      target.on('error', () => undefined);
    });
    await new Promise<void>(resolve => relay.listen(Number(port), '127.0.0.1', () => resolve()));
    closing.push(() => relay.close());
    await back.mailTo(email);
    await until(async () => (await rows(at)).find(({ sent_at }) => sent_at !== null));
    expect(back.mails).toHaveLength(1);
  });

  it('is given up when the server refuses the address for good, and its content is removed', async () => {
    const refusing = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such user'), { responseCode: 550 })),
    });
    servers.push(refusing);
    const [at, to] = await started(refusing.environment);
    await invite(address(), at, to);
    const given = await until(async () => (await rows(at)).find(({ due_at }) => due_at === null));
    expect(given).toMatchObject({ sealed: null, sent_at: null, attempts: 1 });
  });

  it('is given up after its time', async () => {
    const [at, to] = await started({ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.example' });
    await invite(address(), at, to);
    await until(async () => (await rows(at)).find(({ attempts }) => attempts >= 1));
    await at.sql(`UPDATE mail_outbox SET expires_at = now() - interval '1 second', due_at = now()`);
    const given = await until(async () => (await rows(at)).find(({ due_at }) => due_at === null));
    expect(given).toMatchObject({ sealed: null, sent_at: null });
  });

  it('is sent once by several instances, and no more than MAIL_MAX_PER_HOUR by all of them', async () => {
    const slow = await startMailServer();
    servers.push(slow);
    const environment = { ...slow.environment, MAIL_MAX_PER_HOUR: '7' };
    const [at, to] = await started(environment);
    const second = await startOwnApp({ database: { url: at.settings.DATABASE_URL as string }, environment });
    try {
      const orgs = [to, await newOrg(at), await newOrg(at)];
      const told = await Promise.all(orgs.flatMap(each => [1, 2, 3].map(() => invite(address(), at, each))));
      expect(told.filter(({ body }) => body.mailed).length).toBeGreaterThanOrEqual(7);
      await until(async () => (slow.mails.length >= 7 ? true : undefined));
      await new Promise(resolve => setTimeout(resolve, 1_000));
      expect(slow.mails).toHaveLength(7);
      expect(new Set(slow.mails.map(({ headers }) => headers['message-id'])).size).toBe(7);
    } finally {
      await second.close();
    }
  });
});

describe('without MAIL_URL', () => {
  it('nothing is mailed', async () => {
    const shared = await startApp();
    const { status, body } = await invite(address(), shared, await newOrg(shared));
    expect([status, body.mailed]).toEqual([201, undefined]);
    expect(await rows(shared)).toEqual([]);
  });
});
