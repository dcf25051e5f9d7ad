import { Injectable, Logger } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  None,
} from 'openid-client';
import { Settings } from '../../config/settings.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import type { Provider } from '../../orgs/sso/provider.js';
import { OutboundError } from '../../outbound/guarded-connect.js';
import { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { type IdTokenClaims, IdTokens } from '../providers/id-tokens.service.js';
import { ASYMMETRIC } from '../providers/provider-keys.service.js';
import { ProviderMetadata } from '../providers/provider-metadata.service.js';
import { ProviderUnavailable, providerAway } from '../providers/published-documents.js';
import { CALLBACK_PATH, type PendingLogin } from './pending-logins.service.js';

type Proof = Pick<PendingLogin, 'state' | 'nonce' | 'codeVerifier'>;

/** We as the providers see us: a client of the authorization code flow with PKCE (OpenID Connect Core, 3.1). */
@Injectable()
export class RelyingParty {
  private readonly logger = new Logger(RelyingParty.name);

  constructor(
    private readonly metadata: ProviderMetadata,
    private readonly idTokens: IdTokens,
    private readonly outbound: OutboundFetch,
    private readonly settings: Settings,
  ) {}

  /** Where the browser signs in. 503 when the provider cannot be asked where that is. */
  async signInUrl(provider: Provider, { state, nonce, codeVerifier }: Proof): Promise<string> {
    const client = await this.client(provider).catch(error => this.refuse(provider, error));
    const url = buildAuthorizationUrl(client, {
      redirect_uri: `${this.settings.PUBLIC_URL}${CALLBACK_PATH}`,
      scope: provider.config.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * The verified claims of whoever comes back with `query` from the provider. 400 when anything of it does not match
   * what the browser was sent with, RFC 9207's `iss` included.
   */
  async signedIn(provider: Provider, query: URLSearchParams, proof: Proof): Promise<IdTokenClaims> {
    const callback = new URL(`${this.settings.PUBLIC_URL}${CALLBACK_PATH}?${query}`);
    try {
      const { id_token = '' } = await authorizationCodeGrant(await this.client(provider), callback, {
        expectedState: proof.state,
        expectedNonce: proof.nonce,
        pkceCodeVerifier: proof.codeVerifier,
      });
      // The library trusts the connection; here the signature counts as it does everywhere else.
      return await this.idTokens.verify(provider, id_token);
    } catch (error) {
      return this.refuse(provider, error);
    }
  }

  private async client(provider: Provider): Promise<Configuration> {
    const { client_id, client_secret } = provider.config;
    const { token_endpoint_auth_methods_supported: methods, ...endpoints } = await this.metadata.of(provider);
    const client = new Configuration(
      { ...endpoints, id_token_signing_alg_values_supported: [...ASYMMETRIC] },
      client_id,
      client_secret,
      authentication(client_secret, methods),
    );
    client[customFetch] = (url, options) => this.outbound.fetch(url, options as RequestInit);
    // Which addresses may be called without https is for the guarded fetch to say.
    allowInsecureRequests(client);
    return client;
  }

  /** Why is for the log: what the library says of a refusal names no code and no token. */
  private refuse({ slug }: Provider, error: unknown): never {
    if (error instanceof PlatformError) throw error;
    const { message, cause } = error as Error;
    this.logger.log(`a login at ${slug} is refused: ${message}`);
    if (error instanceof ProviderUnavailable || cause instanceof OutboundError) throw providerAway();
    throw invalid('The provider’s answer is not one to a login that this browser has begun. Sign in again.');
  }
}

/** What a provider takes is `client_secret_basic` unless it says otherwise (OpenID Connect Discovery, 3). */
function authentication(
  secret: string | undefined,
  methods: readonly string[] = ['client_secret_basic'],
): ClientAuth {
  if (secret === undefined) return None();
  return methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}
