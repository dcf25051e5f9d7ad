import type { TestApp } from '../../harness/app.js';
import { Authenticator, type Deviation } from '../../harness/authenticator.js';
import { Browser } from '../../harness/browser.js';
import { type Person, person, signIn } from '../auth/person.js';
import { newInvite } from '../invites/invite.js';
import type { TestOrg } from '../orgs/org.js';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly body: any;
  readonly headers: Headers;
}

/** A browser at a page of the service, with an authenticator. */
export class Site {
  readonly browser: Browser = new Browser();
  readonly authenticator: Authenticator;

  constructor(
    readonly app: TestApp,
    authenticator?: Authenticator,
    /** The address of the instance that gets the requests. */
    private readonly address: string = app.url,
  ) {
    this.authenticator = authenticator ?? new Authenticator(app.url);
  }

  /** A browser whose cookie holds the session of a person. */
  static of(app: TestApp, { token }: Pick<Person, 'token'>, authenticator?: Authenticator): Site {
    const site = new Site(app, authenticator);
    site.browser.set(app.url, 'access-token', token);
    return site;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.browser.send(method, `${this.address}${path}`, body);
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** Submits a form of a page. */
  async press(path: string, body: unknown): Promise<Pick<Answer, 'status' | 'headers'>> {
    const { status, headers } = await this.browser.send('POST', `${this.address}${path}`, body);
    return { status, headers };
  }

  /** Registers a passkey for the person who is signed in. */
  async register(deviation: Deviation = {}, name?: string): Promise<Answer> {
    const { body: options } = await this.send('POST', '/v2/user/passkeys/options');
    const created = this.authenticator.create(options, deviation);
    return this.send('POST', '/v2/user/passkeys', { ...created, name });
  }

  async logIn(deviation: Deviation = {}): Promise<Answer> {
    const { body: options } = await this.send('POST', '/v2/login/passkey/options');
    return this.send('POST', '/v2/login/passkey', this.authenticator.get(options, deviation));
  }

  /** The JWT in the cookie. */
  token(): string | undefined {
    return this.browser.cookie(`${this.address}/`, 'access-token');
  }
}

/** A person whose account and passkey the organization's invitation has created. */
export async function newJoiner(app: TestApp, org: TestOrg, roleSlug = 'member'): Promise<Person> {
  const { code } = await newInvite(app, org, { roleSlug });
  const site = new Site(app);
  const { body: options } = await site.send('POST', '/v2/login/invitation/options', { code, name: 'Grace' });
  const created = site.authenticator.create(options);
  const { status, body } = await site.send('POST', '/v2/login/invitation', created);
  if (status !== 201) throw new Error(`nobody joined: ${JSON.stringify(body)}`);
  return signIn(app, body.userId);
}

/** A person with a passkey, signed in without it. */
export async function personWithPasskey(
  app: TestApp,
  authenticator = new Authenticator(app.url),
): Promise<Person & { readonly site: Site; readonly passkeyId: string }> {
  const somebody = await person(app);
  const site = Site.of(app, somebody, authenticator);
  const { status, body } = await site.register();
  if (status !== 201) throw new Error(`no passkey was registered: ${JSON.stringify(body)}`);
  return { ...somebody, site, passkeyId: body.id };
}
