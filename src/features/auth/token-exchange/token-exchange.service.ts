import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { Settings } from '../../../platform/config/settings.js';
import { FORM_MEDIA_TYPE } from '../../../platform/http/body/form-body.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { personOf } from '../federated/federated-login.js';
import { FederatedLogins } from '../federated/federated-logins.service.js';
import { People } from '../principals.service.js';
import { type IdTokenClaims, IdTokens } from '../providers/id-tokens.service.js';
import { ProviderUnavailable, providerAway } from '../providers/published-documents.js';
import { unauthorized } from '../sent-credential.js';
import { FIRST_PARTY_SCOPE } from '../sessions/jwt.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { ExchangedTokens, ExchangeTokenBody } from '../token-exchange/exchanged-tokens.service.js';

/**
 * id_token of an identity provider.
 *
 * - Read from: `subject_token` in the body of the exchange.
 * - Proven by: the provider's signature and the claims, once for each token.
 * - Yields: the user that the token is about, in a new session.
 */
@Injectable()
export class TokenExchangeStrategy extends PassportStrategy(CustomStrategy, 'token-exchange') {
  private readonly logger = new Logger(TokenExchangeStrategy.name);

  constructor(
    private readonly settings: Settings,
    private readonly providers: Providers,
    private readonly idTokens: IdTokens,
    private readonly tokens: ExchangedTokens,
    private readonly logins: FederatedLogins,
    private readonly people: People,
  ) {
    super();
  }

  /** Follows the rules of the spec in their order. The rate limit (rule 9) was checked before. */
  async validate(request: PlatformRequest): Promise<Principal | false> {
    const body = exchangeBody(request, this.settings.ACCESS_TOKENS_MAX_AGE);
    const provider = await this.exchangeable(body.provider);
    const claims = await this.verified(provider, body.subject_token);
    const session = await this.logIn(request, provider, claims, body);
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    return (await this.people.ofSession(session, expiresAt, FIRST_PARTY_SCOPE)) ?? false;
  }

  /** Rule 5. The answer is the same for unknown providers, so that nobody learns which providers exist. */
  private async exchangeable(slug: string): Promise<Provider> {
    const provider = await this.providers.find(slug);
    if (provider?.config.allowTokenExchange === true) return provider;
    throw new PlatformError(
      'TokenExchangeRefused',
      'This platform does not exchange tokens of this provider.',
    );
  }

  /** Rule 6. */
  private verified(provider: Provider, idToken: string): Promise<IdTokenClaims> {
    return this.idTokens.verify(provider, idToken).catch(error => {
      this.logger.log(`refused to exchange a token of ${provider.slug}: ${(error as Error).message}`);
      throw error instanceof ProviderUnavailable ? providerAway() : unauthorized();
    });
  }

  /** Rules 7 and 8. The login and the mark that the token was used are one transaction. */
  private logIn(
    { correlationId, ip, headers }: PlatformRequest,
    provider: Provider,
    claims: IdTokenClaims,
    { subject_token, expiresAfter }: ExchangeTokenBody,
  ): Promise<PersonSession> {
    const person = personOf(provider, claims);
    const login = { provider, person, seconds: expiresAfter, userAgent: headers['user-agent'] };
    return this.logins.logIn({ via: 'rest', correlationId, ip }, login, manager =>
      this.tokens.use(manager, subject_token, claims.exp),
    );
  }
}

/**
 * The validated body; `most` is the maximum of `expiresAfter`. Throws 400 for a malformed body. The strategy validates it
 * because strategies run before the pipes. All fields of a form are strings.
 */
function exchangeBody(
  { body, headers }: Pick<IncomingMessage, 'headers'> & { readonly body: unknown },
  most: number,
): ExchangeTokenBody {
  const isForm = headers['content-type']?.trimStart().toLowerCase().startsWith(FORM_MEDIA_TYPE) ?? false;
  const asked = validated(ExchangeTokenBody, body, isForm);
  if (asked.expiresAfter !== undefined && asked.expiresAfter > most) {
    throw invalid(`expiresAfter: expects a whole number from 60 to ${most}`);
  }
  return asked;
}
