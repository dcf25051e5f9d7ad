import { Browser } from '../../../scenarios/oidc/browser.js';
import { apiKey, bearer, type Calls, type Sent } from './calls.js';

const CALLBACK = 'https://app.example.com/callback';

/** An application of the platform, for `OIDC_CLIENTS_FILE`. */
export const APPLICATION = { client_id: 'app', client_name: 'App', redirect_uris: [CALLBACK] };

type Credential = NonNullable<Sent['as']>;

/** Somebody who signed in before the upgrade, and credentials of every kind. They must stay valid. */
export class Callers {
  private readonly credentials: Credential[] = [];
  private refreshToken = '';

  private constructor(
    private readonly calls: Calls,
    private readonly collection: string,
    private readonly orgSlug: string,
    private readonly cookie: Credential,
  ) {}

  /** Signs in with a one-time link, in a browser and through an application. */
  static async signedIn(
    calls: Calls,
    collection: string,
    first: { orgSlug: string; accessToken: string; signInUrl: string },
  ): Promise<Callers> {
    const { origin } = new URL(first.signInUrl);
    const opened = await fetch(first.signInUrl, { redirect: 'manual' });
    const token = /^access-token=([^;]+)/.exec(opened.headers.getSetCookie()[0] ?? '')?.[1] as string;
    const cookie = { cookie: `access-token=${token}`, 'sec-fetch-site': 'same-origin' };
    const callers = new Callers(calls, collection, first.orgSlug, cookie);
    callers.credentials.push(bearer(first.accessToken), cookie);
    await callers.authorize(Browser.of({ url: origin }, { token }), origin);
    return callers;
  }

  /** Makes one more credential of each kind. It must be valid for the other version, too. */
  async mintMore(): Promise<void> {
    const name = crypto.randomUUID();
    const made = async (path: string, body: object) =>
      (await this.calls.ask('POST', path, { body: { name, ...body }, as: this.cookie })).body;
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { token } = await made('/v2/user/accessTokens', { expiresAt });
    const grants = { slug: name, permissions: ['collections:read'] };
    const ofOrg = await made(`/v2/orgs/${this.orgSlug}/api-keys`, grants);
    const ofCollection = await made(`${this.collection}/api-keys`, { ...grants, slug: `collection-${name}` });
    const account = await made(`/v2/orgs/${this.orgSlug}/service-accounts`, grants);
    const tokens = `/v2/orgs/${this.orgSlug}/service-accounts/${name}/token`;
    const exchanged = await this.calls.ask('POST', tokens, { body: { clientSecret: account.clientSecret } });
    this.credentials.push(
      bearer(token),
      apiKey(ofOrg.apiKey),
      apiKey(ofCollection.secret),
      bearer(exchanged.body.accessToken),
    );
  }

  async round(): Promise<void> {
    await this.refresh();
    await Promise.all(
      this.credentials.map(as => this.calls.ask('GET', `${this.collection}/data/count`, { as })),
    );
    await this.calls.ask('GET', '/v2/me', { as: this.cookie });
    await this.calls.ask('PUT', '/v2/user/active-org', { as: this.cookie, body: { orgSlug: this.orgSlug } });
  }

  private async authorize(browser: Browser, origin: string): Promise<void> {
    const verifier = 'v'.repeat(43);
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier));
    const query = new URLSearchParams({
      client_id: APPLICATION.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid collections:read',
      code_challenge: Buffer.from(digest).toString('base64url'),
      code_challenge_method: 'S256',
    });
    const asked = await browser.get(`${origin}/oidc/auth?${query}`);
    const back = new URL((await browser.press(asked, 'Allow')).url);
    const code = back.searchParams.get('code') as string;
    const token = await this.grant({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
    this.credentials.push(bearer(token));
  }

  /** Exchanges the refresh token of the last round, and uses the access token of this one. */
  private async refresh(): Promise<void> {
    const token = await this.grant({ grant_type: 'refresh_token', refresh_token: this.refreshToken });
    await this.calls.ask('GET', `${this.collection}/data/count`, { as: bearer(token) });
  }

  private async grant(fields: Record<string, string>): Promise<string> {
    const body = new URLSearchParams({ client_id: APPLICATION.client_id, ...fields });
    const answer = await this.calls.ask('POST', '/oidc/token', { body, as: {} });
    this.refreshToken = answer.body.refresh_token;
    return answer.body.access_token;
  }
}
