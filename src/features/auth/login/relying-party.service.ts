import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
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
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { OutboundError } from '../../../platform/outbound/guarded-connect.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { callbackPath, type Provider } from '../../orgs/sso/sso-provider.entity.js';
import { onlyCookie } from '../cookies.js';
import { type IdTokenClaims, IdTokens } from '../providers/id-tokens.service.js';
import { ASYMMETRIC, ProviderMetadata } from '../providers/provider-documents.service.js';
import { ProviderUnavailable, providerAway } from '../providers/published-documents.js';

/** A login that a browser has started at a provider. The callback must match it. */
export interface PendingLogin {
  readonly providerId: string;
  readonly providerSlug: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** An absolute URL that is allowed. */
  readonly redirect: string;
  /** The session in which the login started. */
  readonly sessionId?: string | undefined;
}

/** Of a callback: the login that it claims to complete, and where the browser came back to. */
export interface CallbackAddress {
  readonly state: string;
  readonly path: string;
}

/** Seconds within which the person must sign in at the provider. */
const SECONDS = 600;
/** 256 bits in base64url. */
const STATE = /^[A-Za-z0-9_-]{43}$/;
/** The associated data of the encryption, so that no other ciphertext of the platform is accepted as this cookie. */
const PURPOSE = 'pending-login';

/** Stores started logins in encrypted cookies. Each login has its own cookie, so that logins in several tabs work. */
@Injectable()
export class PendingLogins {
  constructor(
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** @param path where the provider sends the browser back to. */
  keep(response: Response, login: PendingLogin, path: string): void {
    const expiresAt = this.clock.seconds() + SECONDS;
    const sealed = this.secrets.encrypt(JSON.stringify({ ...login, expiresAt }), PURPOSE);
    response.cookie(nameOf(login.state), sealed, { ...this.options(path), maxAge: SECONDS * 1000 });
  }

  /** The login that this browser started with this state. It can be taken once. */
  take(
    headers: IncomingHttpHeaders,
    response: Response,
    { state, path }: CallbackAddress,
  ): PendingLogin | undefined {
    if (!STATE.test(state)) return undefined;
    const sealed = onlyCookie(headers, nameOf(state));
    if (sealed === undefined) return undefined;
    response.clearCookie(nameOf(state), this.options(path));
    const login = this.open(sealed);
    return login?.state === state && login.expiresAt > this.clock.seconds() ? login : undefined;
  }

  private open(sealed: string): (PendingLogin & { readonly expiresAt: number }) | undefined {
    try {
      return JSON.parse(this.secrets.decrypt(sealed, PURPOSE));
    } catch {
      return undefined;
    }
  }

  /** SameSite is `lax`, because the browser returns from another site by a redirect. */
  private options(path: string): CookieOptions {
    const secure = this.settings.PUBLIC_URL.startsWith('https:');
    return { httpOnly: true, sameSite: 'lax', path, secure };
  }
}

function nameOf(state: string): string {
  return `login-${state.slice(0, 16)}`;
}

type Proof = Pick<PendingLogin, 'state' | 'nonce' | 'codeVerifier'>;

/** This platform as a client of identity providers: authorization code flow with PKCE (OpenID Connect Core, 3.1). */
@Injectable()
export class RelyingParty {
  private readonly logger = new Logger(RelyingParty.name);

  constructor(
    private readonly metadata: ProviderMetadata,
    private readonly idTokens: IdTokens,
    private readonly outbound: OutboundFetch,
    private readonly settings: Settings,
  ) {}

  /** The URL at the provider where the browser signs in. Throws 503 when the provider's metadata cannot be loaded. */
  async signInUrl(provider: Provider, { state, nonce, codeVerifier }: Proof): Promise<string> {
    const client = await this.client(provider).catch(error => this.refuse(provider, error));
    const url = buildAuthorizationUrl(client, {
      redirect_uri: `${this.settings.PUBLIC_URL}${callbackPath(provider)}`,
      scope: provider.config.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * The verified claims of the person who returns from the provider with `query`. Throws 400 when `query` does not match
   * the login that was started, including `iss` (RFC 9207).
   */
  async signedIn(provider: Provider, query: URLSearchParams, proof: Proof): Promise<IdTokenClaims> {
    const callback = new URL(`${this.settings.PUBLIC_URL}${callbackPath(provider)}?${query}`);
    try {
      const { id_token = '' } = await authorizationCodeGrant(await this.client(provider), callback, {
        expectedState: proof.state,
        expectedNonce: proof.nonce,
        pkceCodeVerifier: proof.codeVerifier,
      });
      // openid-client does not check the signature of an id_token that it gets over TLS. We check it.
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
    // OutboundFetch decides which addresses may be called without https.
    allowInsecureRequests(client);
    return client;
  }

  /** The reason is only logged. The messages of openid-client contain no codes and no tokens. */
  private refuse({ slug }: Provider, error: unknown): never {
    if (error instanceof PlatformError) throw error;
    const { message, cause } = error as Error;
    this.logger.log(`refused a login at the provider ${slug}: ${message}`);
    if (error instanceof ProviderUnavailable || cause instanceof OutboundError) throw providerAway();
    throw invalid(
      'The answer of the provider does not belong to a login that this browser started. Sign in again.',
    );
  }
}

/** Providers accept `client_secret_basic` unless their metadata says otherwise (OpenID Connect Discovery, 3). */
function authentication(
  secret: string | undefined,
  methods: readonly string[] = ['client_secret_basic'],
): ClientAuth {
  if (secret === undefined) return None();
  return methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}
