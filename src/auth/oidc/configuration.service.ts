import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { CryptoKey, JWK } from 'jose';
import type { Account, Adapter, Configuration, SigningAlgorithm } from 'oidc-provider';
import { DataSource } from 'typeorm';
import { Secrets } from '../../config/secrets.js';
import { Settings } from '../../config/settings.js';
import type { User } from '../../identity/user.entity.js';
import { Users } from '../../identity/users.service.js';
import { Clock } from '../../kernel/clock.js';
import { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { OidcPayloads } from './adapter/oidc-payloads.service.js';
import { PayloadAdapter } from './adapter/payload-adapter.js';
import { BrowserSessions } from './browser-sessions.service.js';
import { ClientAdapter } from './clients/client-adapter.js';
import { OwnClients } from './clients/own-clients.service.js';
import { RegisteredClients } from './clients/registered-clients.service.js';
import { judgeThirdParty } from './clients/third-party-rules.js';
import { featuresOf } from './features.js';
import { errorPage } from './interactions/error.page.js';
import { showPage } from './interactions/page.js';
import { policyOf } from './login-policy.js';
import { COLLECTION_SCOPES } from './resources/resource-server.js';
import { asSessionJwt } from './tokens/access-token-claims.js';
import { Grants } from './tokens/grants.service.js';
import { IssuedTokenAdapter } from './tokens/issued-token-adapter.js';
import { lifetimes } from './tokens/lifetimes.js';
import { RingKey } from './tokens/ring-key.js';

/** The keys of one moment: all that verify, and the one that signs. */
export interface CurrentKeys {
  readonly published: readonly JWK[];
  readonly signing: { readonly kid: string; readonly algorithm: string; readonly key: CryptoKey };
}

/** How oidc-provider is set up: on the platform's tables, users, keys, pages and rules. */
@Injectable()
export class OidcConfiguration {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly users: Users,
    private readonly jwts: SessionJwts,
    private readonly outbound: OutboundFetch,
    private readonly browsers: BrowserSessions,
    private readonly payloads: OidcPayloads,
    private readonly grants: Grants,
    private readonly own: OwnClients,
    private readonly registered: RegisteredClients,
  ) {}

  with({ published, signing }: CurrentKeys): Configuration {
    const algorithm = signing.algorithm as SigningAlgorithm;
    // oidc-provider signs with the first key that fits.
    const keys = published
      .map(jwk => new RingKey(jwk, jwk.kid === signing.kid ? signing.key : undefined))
      .sort((a, b) => Number(b.kid === signing.kid) - Number(a.kid === signing.kid));
    return {
      jwks: { keys },
      adapter: (kind: string) => this.adapter(kind),
      clients: [...this.own.metadata],
      clientDefaults: {
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: algorithm,
      },
      extraClientMetadata: {
        properties: ['redirect_uris'],
        validator: (_ctx, _name, _value, metadata) => {
          // Of the keys there are now, not of those when the client registered.
          metadata.id_token_signed_response_alg = algorithm;
          if (!this.own.has(metadata.client_id)) judgeThirdParty(metadata);
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
      formats: { customizers: { jwt: (_ctx, token, parts) => asSessionJwt(token, parts) } },
      features: featuresOf(this.settings, this.own),
      ttl: lifetimes(this.settings.ACCESS_TOKENS_MAX_AGE, this.clock),
      rotateRefreshToken: true,
      issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
      revokeGrantPolicy: () => true,
      findAccount: async (_ctx, id) => accountOf(await this.users.find(id)),
      interactions: { policy: policyOf(this.browsers), url: (_ctx, { uid }) => `/oidc/interaction/${uid}` },
      cookies: {
        keys: [this.secrets.derive('oidc-cookies').toString('base64url')],
        names: { session: 'oidc-session', interaction: 'oidc-interaction', resume: 'oidc-resume' },
        long: { path: '/oidc', httpOnly: true, sameSite: 'lax' },
      },
      // No cookie has a say where this header is sent, so any page may.
      clientBasedCORS: () => true,
      fetch: (address, init) => this.outbound.fetch(address as string, init),
      renderError: (ctx, { error, error_description }) => showPage(ctx, errorPage(error, error_description)),
    };
  }

  private adapter(kind: string): Adapter {
    if (kind === 'Client') return new ClientAdapter(this.registered);
    if (kind === 'AccessToken') return new IssuedTokenAdapter(this.jwts);
    return new PayloadAdapter(kind, this.payloads, this.grants, this.source.manager, () => this.clock.now());
  }
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
