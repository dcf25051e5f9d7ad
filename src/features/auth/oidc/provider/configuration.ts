import type { CryptoKey, JWK } from 'jose';
import {
  type Account,
  type Adapter,
  type Client,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  type SigningAlgorithm,
} from 'oidc-provider';
import type { User } from '../../../identity/identity.entity.js';
import type { BrowserSessions } from '../browser-sessions.service.js';
import { errorPage, showPage, signedOutPage, signOutPage } from '../interactions/pages.js';
import { COLLECTION_SCOPES } from '../metadata/scopes.js';
import { ClientAdapter, IssuedTokenAdapter, PayloadAdapter } from './adapters.js';
import { checkRegistration, checkThirdParty, resourceServer } from './client-rules.js';
import { deviceFlow } from './device-flow.js';
import type { ProviderParts } from './provider-parts.service.js';
import { asSessionJwt, lifetimes, RingKey } from './tokens.js';

/** All keys that verify, and the one key that signs. */
export interface CurrentKeys {
  readonly published: readonly JWK[];
  readonly signing: { readonly kid: string; readonly algorithm: string; readonly key: CryptoKey };
}

/** The configuration of oidc-provider: it uses the platform's tables, users, keys, pages and rules. */
export function configurationOf(parts: ProviderParts, { published, signing }: CurrentKeys): Configuration {
  const { settings, secrets, own } = parts;
  const algorithm = signing.algorithm as SigningAlgorithm;
  // oidc-provider signs with the first key that fits.
  const keys = published
    .map(jwk => new RingKey(jwk, jwk.kid === signing.kid ? signing.key : undefined))
    .sort((a, b) => Number(b.kid === signing.kid) - Number(a.kid === signing.kid));
  return {
    jwks: { keys },
    adapter: (kind: string) => adapterOf(kind, parts),
    clients: [...own.metadata],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: algorithm,
    },
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator: (ctx, _name, _value, metadata) => {
        // The algorithm of the current keys, which may differ from that at registration.
        metadata.id_token_signed_response_alg = algorithm;
        if (own.has(metadata.client_id)) return;
        // `ctx` is undefined when a client is only read.
        if (ctx?.oidc?.route === 'registration') checkRegistration(metadata);
        checkThirdParty(metadata);
      },
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access', ...COLLECTION_SCOPES],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    enabledJWA: {
      idTokenSigningAlgValues: [...new Set(published.map(jwk => jwk.alg as SigningAlgorithm))],
    },
    formats: { customizers: { jwt: (_ctx, token, jwt) => asSessionJwt(token, jwt, parts.clock.seconds()) } },
    features: featuresOf(parts),
    ttl: lifetimes(settings.ACCESS_TOKENS_MAX_AGE, parts.clock),
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    revokeGrantPolicy: () => true,
    findAccount: async (_ctx, id) => accountOf(await parts.users.find(id)),
    interactions: { policy: policyOf(parts.browsers), url: (_ctx, { uid }) => `/oidc/interaction/${uid}` },
    cookies: {
      keys: [secrets.derive('oidc-cookies').toString('base64url')],
      names: { session: 'oidc-session', interaction: 'oidc-interaction', resume: 'oidc-resume' },
      long: { path: '/oidc', httpOnly: true, sameSite: 'lax' },
    },
    // Pages of any origin may call these endpoints, because they use no cookies.
    clientBasedCORS: () => true,
    fetch: (address, init) => parts.outbound.fetch(address as string, init),
    renderError: (ctx, { error, error_description }) => showPage(ctx, errorPage(error, error_description)),
  };
}

function adapterOf(
  kind: string,
  { registered, jwts, payloads, grants, source, clock }: ProviderParts,
): Adapter {
  if (kind === 'Client') return new ClientAdapter(registered);
  if (kind === 'AccessToken') return new IssuedTokenAdapter(jwts);
  return new PayloadAdapter(kind, payloads, grants, source.manager, () => clock.now());
}

/** The account of an active user. Its claims go into id_tokens if a scope asks for them. */
function accountOf(user: User | undefined): Account | undefined {
  if (user?.status !== 'active') return undefined;
  const { id, email, emailVerified, firstName, lastName } = user;
  const claims = {
    sub: id,
    ...(email !== null && { email, email_verified: emailVerified }),
    ...(firstName !== null && { given_name: firstName }),
    ...(lastName !== null && { family_name: lastName }),
  };
  return { accountId: id, claims: () => claims };
}

type Features = NonNullable<Configuration['features']>;

/** The features of oidc-provider that the platform offers. The first lines switch off features that are on by default. */
function featuresOf({ settings, own, users }: ProviderParts): Features {
  const publicUrl = settings.PUBLIC_URL;
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    deviceFlow,
    pushedAuthorizationRequests: { enabled: false },
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    clientIdMetadataDocument: {
      enabled: settings.OIDC_CLIENT_METADATA_DOCUMENTS === 'on',
      ack: 'draft-02',
    },
    registration: {
      enabled: settings.OIDC_DYNAMIC_REGISTRATION === 'on',
      issueRegistrationAccessToken: false,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwner(client, token) },
    introspection: {
      enabled: true,
      // The platform's own servers may ask about any token, as a resource server does.
      allowedPolicy: async (_ctx, client, token) =>
        (isOwner(client, token) || (own.has(client.clientId) && client.clientAuthMethod !== 'none')) &&
        'accountId' in token &&
        (await users.find(token.accountId))?.status === 'active',
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf ?? publicUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, indicator, client) =>
        resourceServer(indicator, { publicUrl, own: own.has(client.clientId) }),
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx: KoaContextWithOIDC, form: string) =>
        showPage(ctx, signOutPage(form, ctx.oidc.client)),
      postLogoutSuccessSource: (ctx: KoaContextWithOIDC) => showPage(ctx, signedOutPage()),
    },
  };
}

function isOwner(client: Client, token: { clientId?: string | undefined }): boolean {
  return token.clientId === client.clientId;
}

/** The conditions for a code: the person is signed in, also to the platform, and has consented. */
function policyOf(browsers: BrowserSessions): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('platform_session', 'End-User is signed out of the platform', async ctx => {
      const signedIn = await browsers.signedIn(ctx.req);
      return signedIn?.principal.id !== ctx.oidc.session?.accountId;
    }),
  );
  return policy;
}
