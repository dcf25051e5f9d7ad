import { Injectable, Logger } from '@nestjs/common';
import { type CryptoKey, importJWK } from 'jose';
import { Clock } from '../../kernel/clock.js';
import type { Provider } from '../../orgs/sso/provider.js';
import { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { KeptDocuments } from './kept-documents.js';
import { ASYMMETRIC, type KeySet, readKeySet } from './key-set.js';
import { IdTokenRefused, ProviderUnavailable } from './provider-errors.js';
import { ProviderMetadata } from './provider-metadata.service.js';
import { publishedDocument } from './published-document.js';

/** The public keys of providers. */
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
   * The key that the header of a token names. An unknown `kid` is looked for once more, as the provider may have
   * rotated. Throws IdTokenRefused when there is no such key, ProviderUnavailable when there are no keys at all.
   */
  async keyFor(provider: Provider, { kid, alg }: { kid?: string; alg?: string }): Promise<CryptoKey> {
    if (alg === undefined || !ASYMMETRIC.includes(alg)) throw new IdTokenRefused('alg is not asymmetric');
    if (typeof kid !== 'string' || kid === '') throw new IdTokenRefused('kid is missing');
    const address = provider.config.jwks_uri ?? (await this.metadata.of(provider)).jwks_uri;
    const name = `${provider.id} ${address}`;
    const load = () => this.load(address);
    const jwk = (await this.sets.get(name, load)).get(kid) ?? (await this.sets.renewed(name, load)).get(kid);
    if (jwk === undefined) throw new IdTokenRefused('kid names no key of the provider');
    if (jwk.alg !== undefined && jwk.alg !== alg) throw new IdTokenRefused('alg is not that of the key');
    return (await importJWK(jwk, alg)) as CryptoKey;
  }

  private async load(address: string): Promise<KeySet> {
    const keys = readKeySet(await publishedDocument(this.outbound, address));
    if (keys === undefined) throw new ProviderUnavailable(`${address}: no JWK Set`);
    return keys;
  }
}
