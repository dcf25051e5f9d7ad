import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { KeptDocuments, ProviderUnavailable, publishedDocument } from './published-documents.js';

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
