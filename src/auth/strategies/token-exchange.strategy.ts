import { Injectable, Logger } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import { Settings } from '../../config/settings.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { PlatformError } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import type { Provider } from '../../orgs/sso/provider.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { FederatedLogins } from '../federated/federated-logins.service.js';
import { personOf } from '../federated/federated-person.js';
import { providerAway } from '../federated/provider-away.js';
import { People } from '../people.service.js';
import { type IdTokenClaims, IdTokens } from '../providers/id-tokens.service.js';
import { ProviderUnavailable } from '../providers/provider-errors.js';
import { unauthorized } from '../sent-credential.js';
import { FIRST_PARTY_SCOPE } from '../sessions/jwt.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { exchangeBody } from '../token-exchange/exchange-body.js';
import { ExchangedTokens } from '../token-exchange/exchanged-tokens.service.js';
import type { ExchangeTokenBody } from '../token-exchange/token-exchange.dto.js';

/** id_token of a provider, from the body of an exchange; yields whom it is about, in a session of its own. */
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

  /** The spec's rules in its order; rule 9, the rate limit, was before all of them. */
  async validate(request: PlatformRequest): Promise<Principal | false> {
    const body = exchangeBody(request, this.settings.ACCESS_TOKENS_MAX_AGE);
    const provider = await this.exchangeable(body.provider);
    const claims = await this.verified(provider, body.subject_token);
    const session = await this.logIn(request, provider, claims, body);
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    return (await this.people.ofSession(session, expiresAt, FIRST_PARTY_SCOPE)) ?? false;
  }

  /** Rule 5. One answer, before anything is asked of anyone: nobody learns which providers there are. */
  private async exchangeable(slug: string): Promise<Provider> {
    const provider = await this.providers.find(slug);
    if (provider?.config.allowTokenExchange === true) return provider;
    throw new PlatformError('TokenExchangeRefused', 'Tokens of this provider are not exchanged here.');
  }

  /** Rule 6. */
  private verified(provider: Provider, idToken: string): Promise<IdTokenClaims> {
    return this.idTokens.verify(provider, idToken).catch(error => {
      this.logger.log(`an exchange at ${provider.slug} is refused: ${(error as Error).message}`);
      throw error instanceof ProviderUnavailable ? providerAway() : unauthorized();
    });
  }

  /** Rules 7 and 8, with the token used up: all of it or nothing. */
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
