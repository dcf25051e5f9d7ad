import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Adapter, type AdapterPayload, type Configuration, Provider } from 'oidc-provider';

/** The client id of the platform at every provider of the tests. */
export const CLIENT_ID = 'collections';
/** The client id of another application at the same provider. */
export const OTHER_CLIENT_ID = 'another-app';
export const CLIENT_SECRET = 'the-secret-of-the-tests-at-their-providers';

/** A person at a provider: `sub` and any other claims. */
export interface Account extends Record<string, unknown> {
  readonly sub: string;
}

/** A real OpenID provider on loopback. People sign in by `login_hint` or as `present`, without a page that asks them. */
export class IdentityProvider {
  /** Paths that were requested. */
  readonly requests: string[] = [];
  /** The addresses to which this provider sends people back after sign-in, as they are registered for the platform. */
  readonly redirectUris = new Set<string>();
  private readonly accounts = new Map<string, Account>();
  /** The `sub` of the person in front of the page, for sign-ins without `login_hint`. */
  present: string | undefined;

  private constructor(
    readonly issuer: string,
    private readonly key: { readonly kid: string; readonly privateKey: CryptoKey },
    private readonly end: () => void,
  ) {}

  /** @param callback the address at which the platform receives users after sign-in. */
  static async start(callback: string): Promise<IdentityProvider> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const kid = crypto.randomUUID();
    const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
    const server = createServer();
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const idp = new IdentityProvider(issuer, { kid, privateKey }, () => {
      server.close();
      server.closeAllConnections();
    });
    idp.redirectUris.add(callback);
    const provider = new Provider(issuer, idp.configuration(callback, jwk));
    const { prototype } = provider.Client;
    const registered = prototype.redirectUriAllowed;
    prototype.redirectUriAllowed = function (uri: string) {
      return registered.call(this, uri) || (this.clientId === CLIENT_ID && idp.redirectUris.has(uri));
    };
    const answer = provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      idp.requests.push((request.url ?? '').split('?')[0] as string);
      if (request.url?.startsWith('/interaction/')) void idp.signIn(provider, request, response);
      else void answer(request, response);
    });
    return idp;
  }

  close(): void {
    this.end();
  }

  /** Adds a person who can sign in here. Their `sub` is also the login name that they enter. */
  knows(account: Account): Account {
    this.accounts.set(account.sub, account);
    return account;
  }

  /** Makes an id_token for the platform as this provider makes it, except for the claims given. */
  async idToken(
    claims: JWTPayload,
    { header = {}, key = this.key.privateKey }: { header?: object; key?: CryptoKey | Uint8Array } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 600 };
    // A random id makes every token different.
    const payload = { ...standard, jti: crypto.randomUUID(), ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: this.key.kid, ...header }).sign(key);
  }

  private async signIn(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const login = { accountId: (params.login_hint ?? this.present) as string };
    await provider.interactionFinished(request, response, { login });
  }

  private configuration(callback: string, jwk: object): Configuration {
    const client = (client_id: string, redirect_uri: string) => ({
      ...{ client_id, client_secret: CLIENT_SECRET, redirect_uris: [redirect_uri] },
      ...{ response_types: ['code'] as ['code'], grant_types: ['authorization_code'] },
    });
    return {
      clients: [client(CLIENT_ID, callback), client(OTHER_CLIENT_ID, 'https://another-app.example/callback')],
      jwks: { keys: [jwk as never] },
      adapter: memory(),
      cookies: { keys: ['cookies of the tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      // Most providers do this, unlike OpenID Connect Core, 5.4: claims are in the id_token.
      conformIdTokenClaims: false,
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
        Grant: 600,
      },
      findAccount: (_, sub) => {
        const account = this.accounts.get(sub);
        return account && { accountId: sub, claims: () => account };
      },
      loadExistingGrant: async ({ oidc }) => {
        const accountId = oidc.session?.accountId as string;
        const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId as string, accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
  }
}

/** Storage of one provider. The storage of the library would be shared by all providers, including codes. */
function memory(): (model: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  const find = (matches: (payload: AdapterPayload) => boolean) => [...kept.values()].find(matches);
  return model => ({
    upsert: async (id, payload) => void kept.set(`${model} ${id}`, payload),
    find: async id => kept.get(`${model} ${id}`),
    findByUid: async uid => find(payload => payload.uid === uid),
    findByUserCode: async userCode => find(payload => payload.userCode === userCode),
    consume: async id => void Object.assign(kept.get(`${model} ${id}`) ?? {}, { consumed: true }),
    destroy: async id => void kept.delete(`${model} ${id}`),
    revokeByGrantId: async grantId => {
      for (const [id, payload] of kept) if (payload.grantId === grantId) kept.delete(id);
    },
  });
}
