import type { CryptoKey, JWK } from 'jose';
import type { Account, Adapter, Configuration, SigningAlgorithm } from 'oidc-provider';
import type { User } from '../../identity/user.entity.js';
import { PayloadAdapter } from './adapter/payload-adapter.js';
import { ClientAdapter } from './clients/client-adapter.js';
import { judgeRegistration, judgeThirdParty } from './clients/third-party-rules.js';
import { featuresOf } from './features.js';
import { errorPage } from './interactions/error.page.js';
import { showPage } from './interactions/show-page.js';
import { policyOf } from './login-policy.js';
import type { ProviderParts } from './provider-parts.service.js';
import { COLLECTION_SCOPES } from './resources/scopes.js';
import { asSessionJwt } from './tokens/access-token-claims.js';
import { IssuedTokenAdapter } from './tokens/issued-token-adapter.js';
import { lifetimes } from './tokens/lifetimes.js';
import { RingKey } from './tokens/ring-key.js';

/** The keys of one moment: all that verify, and the one that signs. */
export interface CurrentKeys {
  readonly published: readonly JWK[];
  readonly signing: { readonly kid: string; readonly algorithm: string; readonly key: CryptoKey };
}

/** How oidc-provider is set up: on the platform's tables, users, keys, pages and rules. */
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
        // Of the keys there are now, not of those when the client registered.
        metadata.id_token_signed_response_alg = algorithm;
        if (own.has(metadata.client_id)) return;
        // There is no context where a client is only read.
        if (ctx?.oidc?.route === 'registration') judgeRegistration(metadata);
        judgeThirdParty(metadata);
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
    // No cookie has a say where this header is sent, so any page may.
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

/** Who may sign in; the claims are told in id_tokens, as far as scopes ask for them. */
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
