import { Injectable, Logger } from '@nestjs/common';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { FORM_MEDIA_TYPE } from '../../../platform/http/body/form-body.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import { Users } from '../../identity/users.service.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { personOf } from '../federated/federated-login.js';
import { FederatedLogins } from '../federated/federated-logins.service.js';
import { type IdTokenClaims, IdTokens } from '../providers/id-tokens.service.js';
import { ProviderUnavailable, providerAway } from '../providers/published-documents.js';
import { unauthorized } from '../sent-credential.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { ExchangedTokens, type ExchangedTokenView, ExchangeTokenBody } from './exchanged-tokens.service.js';

/** Exchanges an id_token of an identity provider for a JWT of a new session. */
@Injectable()
export class TokenExchange {
  private readonly logger = new Logger(TokenExchange.name);

  constructor(
    private readonly settings: Settings,
    private readonly providers: Providers,
    private readonly idTokens: IdTokens,
    private readonly tokens: ExchangedTokens,
    private readonly logins: FederatedLogins,
    private readonly users: Users,
    private readonly jwts: SessionJwts,
  ) {}

  /** Follows the rules of the spec in their order. The rate limit (rule 9) was checked before. */
  async exchange(request: PlatformRequest): Promise<ExchangedTokenView> {
    const body = exchangeBody(request, this.settings.ACCESS_TOKENS_MAX_AGE);
    const provider = await this.exchangeable(body.provider);
    const claims = await this.verified(provider, body.subject_token);
    const session = await this.logIn(request, provider, claims, body);
    const user = await this.users.find(session.userId);
    if (user?.status !== 'active') throw unauthorized();
    const { token, expires } = await this.jwts.mint(session);
    return {
      id: user.id,
      email: user.email,
      sessionId: session.id,
      token,
      expires: expires.toISOString(),
    };
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

/** The validated body; `most` is the maximum of `expiresAfter`. Throws 400 for a malformed body. All fields of a form are strings. */
function exchangeBody({ body, headers }: PlatformRequest, most: number): ExchangeTokenBody {
  const isForm = headers['content-type']?.trimStart().toLowerCase().startsWith(FORM_MEDIA_TYPE) ?? false;
  const asked = validated(ExchangeTokenBody, body, isForm);
  if (asked.expiresAfter !== undefined && asked.expiresAfter > most) {
    throw invalid(`expiresAfter: expects a whole number from 60 to ${most}`);
  }
  return asked;
}
