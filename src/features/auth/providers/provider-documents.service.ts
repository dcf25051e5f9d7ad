import { Injectable, Logger } from '@nestjs/common';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { Clock } from '../../../base/kernel/clock.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import {
  IdTokenRefused,
  KeptDocuments,
  ProviderUnavailable,
  publishedDocument,
} from './published-documents.js';

/** The endpoints of a provider, with the names of OpenID Connect Discovery 1.0, section 3. */
export interface ProviderEndpoints {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  /** RFC 9207: true when a callback without `iss` must be refused. */
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly token_endpoint_auth_methods_supported?: readonly string[];
}

type Published = Readonly<Record<string, unknown>>;

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** The metadata of providers. What the configuration says has precedence over what the provider publishes. */
@Injectable()
export class ProviderMetadata {
  private readonly logger = new Logger(ProviderMetadata.name);
  private readonly documents: KeptDocuments<Published>;

  constructor(
    private readonly outbound: OutboundFetch,
    clock: Clock,
  ) {
    this.documents = new KeptDocuments(clock, ({ message }) => this.logger.warn(`discovery: ${message}`));
  }

  /** No request is made when the configuration names every endpoint. Throws ProviderUnavailable. */
  async of({ id, config }: Provider): Promise<ProviderEndpoints> {
    const { issuer } = config;
    const complete = NEEDED.every(name => config[name] !== undefined);
    const published = complete
      ? {}
      : await this.documents.get(`${id} ${issuer}`, () => this.discover(issuer));
    const endpoint = (name: (typeof NEEDED)[number]) => config[name] ?? this.callable(published, name);
    const methods = published.token_endpoint_auth_methods_supported;
    return {
      issuer,
      authorization_endpoint: endpoint('authorization_endpoint'),
      token_endpoint: endpoint('token_endpoint'),
      jwks_uri: endpoint('jwks_uri'),
      authorization_response_iss_parameter_supported:
        published.authorization_response_iss_parameter_supported === true,
      ...(isTexts(methods) && { token_endpoint_auth_methods_supported: methods }),
    };
  }

  private async discover(issuer: string): Promise<Published> {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const published = await publishedDocument(this.outbound, address);
    if (published.issuer === issuer) return published;
    throw new ProviderUnavailable(`${address}: the issuer in the document is a different one`);
  }

  /** The provider chose the address, so it is checked like an address that a user enters. */
  private callable(published: Published, name: string): string {
    const address = published[name];
    const objection = typeof address === 'string' ? this.outbound.objection(address) : 'is missing';
    if (objection !== undefined) throw new ProviderUnavailable(`discovery: ${name} ${objection}`);
    return address as string;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string');
}

/** The public keys of identity providers. */
@Injectable()
export class ProviderKeys {
  private readonly logger = new Logger(ProviderKeys.name);
  private readonly sets: KeptDocuments<KeySet>;

  constructor(
    private readonly metadata: ProviderMetadata,
    private readonly outbound: OutboundFetch,
    clock: Clock,
  ) {
    this.sets = new KeptDocuments(clock, ({ message }) => this.logger.warn(`keys: ${message}`));
  }

  /**
   * The key that the header of a token names. An unknown `kid` loads the keys again, because the provider may have
   * rotated them. Throws IdTokenRefused when there is no such key, ProviderUnavailable when no keys can be loaded.
   */
  async keyFor(provider: Provider, { kid, alg }: { kid?: string; alg?: string }): Promise<CryptoKey> {
    if (alg === undefined || !ASYMMETRIC.includes(alg))
      throw new IdTokenRefused('alg is not an asymmetric algorithm');
    if (typeof kid !== 'string' || kid === '') throw new IdTokenRefused('kid is missing');
    const address = provider.config.jwks_uri ?? (await this.metadata.of(provider)).jwks_uri;
    const name = `${provider.id} ${address}`;
    const load = () => this.load(address);
    const jwk = (await this.sets.get(name, load)).get(kid) ?? (await this.sets.renewed(name, load)).get(kid);
    if (jwk === undefined) throw new IdTokenRefused('the provider has no key with this kid');
    if (jwk.alg !== undefined && jwk.alg !== alg)
      throw new IdTokenRefused('alg is not the algorithm of the key');
    return (await importJWK(jwk, alg)) as CryptoKey;
  }

  private async load(address: string): Promise<KeySet> {
    const keys = readKeySet(await publishedDocument(this.outbound, address));
    if (keys === undefined) throw new ProviderUnavailable(`${address}: this is not a JWK Set`);
    return keys;
  }
}

/** Asymmetric algorithms only: with a shared secret, everyone who knows it could sign (RFC 8725, 3.1). */
export const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The public members of each key type (RFC 7518, 6; RFC 8037, 2). Keys of other types, such as symmetric keys, are ignored. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

const MAX_KEYS = 100;
const MAX_KID_LENGTH = 256;

export type KeySet = ReadonlyMap<string, JWK>;

/**
 * The signing keys of a JWK Set by `kid`; undefined when it is not a JWK Set. Two keys with the same `kid` are both
 * left out, because the sender of a token could choose between them.
 */
export function readKeySet({ keys }: Readonly<Record<string, unknown>>): KeySet | undefined {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) return undefined;
  const found = new Map<string, JWK>();
  const twice = new Set<string>();
  for (const key of keys.flatMap(signingKey)) {
    if (found.has(key.kid)) twice.add(key.kid);
    found.set(key.kid, key);
  }
  for (const kid of twice) found.delete(kid);
  return found;
}

function signingKey(key: unknown): (JWK & { kid: string })[] {
  const {
    kid,
    kty,
    use = 'sig',
    key_ops = ['verify'],
    alg,
    ...rest
  } = (key ?? {}) as Record<string, unknown>;
  const members = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty] : undefined;
  const named = typeof kid === 'string' && kid !== '' && kid.length <= MAX_KID_LENGTH;
  const verifies = use === 'sig' && Array.isArray(key_ops) && key_ops.includes('verify');
  if (members === undefined || !named || !verifies) return [];
  if (members.some(name => typeof rest[name] !== 'string')) return [];
  const values = Object.fromEntries(members.map(name => [name, rest[name]]));
  return [{ kty, kid, ...(typeof alg === 'string' && { alg }), ...values } as JWK & { kid: string }];
}
