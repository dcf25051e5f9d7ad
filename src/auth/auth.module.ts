import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HttpModule } from '../http/http.module.js';
import { RateLimitModule } from '../http/rate-limit/rate-limit.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { Org } from '../orgs/org.entity.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccessToken } from './access-tokens/access-token.entity.js';
import { AccessTokensController } from './access-tokens/access-tokens.controller.js';
import { AccessTokens } from './access-tokens/access-tokens.service.js';
import { ActingAgents } from './acting-agent.service.js';
import { AnonymousUsers } from './anonymous/anonymous-users.service.js';
import { LoginController } from './anonymous/login.controller.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { CredentialCache } from './credential-cache.js';
import { FederatedAccounts } from './federated/federated-accounts.service.js';
import { FederatedIdentity } from './federated/federated-identity.entity.js';
import { FederatedLogins } from './federated/federated-logins.service.js';
import { FederatedMemberships } from './federated/federated-memberships.service.js';
import { FederatedProfiles } from './federated/federated-profiles.service.js';
import { JwksController } from './keys/jwks.controller.js';
import { KeyRing } from './keys/key-ring.js';
import { KeyRotation } from './keys/key-rotation.service.js';
import { SigningKey } from './keys/signing-key.entity.js';
import { SigningKeys } from './keys/signing-keys.service.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { ProviderLoginController } from './login/provider-login.controller.js';
import { ProviderLogins } from './login/provider-logins.service.js';
import { RelyingParty } from './login/relying-party.service.js';
import { StartingSessions } from './login/starting-sessions.service.js';
import { MasterKey } from './master-keys/master-key.entity.js';
import { MasterKeys } from './master-keys/master-keys.service.js';
import { Reencryption } from './master-keys/reencryption.service.js';
import { MeController } from './me/me.controller.js';
import { Me } from './me/me.service.js';
import { OwnClients } from './oidc/clients/own-clients.service.js';
import { People } from './people.service.js';
import { IdTokens } from './providers/id-tokens.service.js';
import { ProviderKeys } from './providers/provider-keys.service.js';
import { ProviderMetadata } from './providers/provider-metadata.service.js';
import { Pruning } from './pruning.service.js';
import { ServiceAccountTokensController } from './service-accounts/service-account-tokens.controller.js';
import { ServiceAccountTokens } from './service-accounts/service-account-tokens.service.js';
import { Session } from './sessions/session.entity.js';
import { SessionJwts } from './sessions/session-jwts.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.service.js';
import { JwtStrategy } from './strategies/jwt.strategy.js';
import {
  AccessTokenStrategy,
  OrgApiKeyStrategy,
  WorkspaceApiKeyStrategy,
} from './strategies/opaque-token.strategies.js';
import { PlatformIdentities } from './strategies/platform-identities.service.js';
import { IdentifiedCallers, PlatformIdentityStrategy } from './strategies/platform-identity.strategy.js';
import { TokenExchangeStrategy } from './strategies/token-exchange.strategy.js';
import { WebSessionTicketStrategy } from './strategies/web-session-ticket.strategy.js';
import { ExchangedToken } from './token-exchange/exchanged-token.entity.js';
import { ExchangedTokens } from './token-exchange/exchanged-tokens.service.js';
import { TokenExchangeController } from './token-exchange/token-exchange.controller.js';
import { TokenExchanges } from './token-exchange/token-exchanges.service.js';
import { WebSessionController } from './web-session/web-session.controller.js';
import { WebSessionTicket } from './web-session/web-session-ticket.entity.js';
import { WebSessionTickets } from './web-session/web-session-tickets.service.js';
import { WebSessions } from './web-session/web-sessions.service.js';

/** Who calls: credentials, sessions and the keys that sign them. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      MasterKey,
      SigningKey,
      Session,
      AccessToken,
      WebSessionTicket,
      FederatedIdentity,
      ExchangedToken,
      Org,
    ]),
    HttpModule,
    IdentityModule,
    OrgsModule,
    WorkspacesModule,
    RateLimitModule,
  ],
  controllers: [
    JwksController,
    LoginController,
    SessionsController,
    ServiceAccountTokensController,
    AccessTokensController,
    MeController,
    WebSessionController,
    TokenExchangeController,
    ProviderLoginController,
  ],
  providers: [
    MasterKeys,
    Reencryption,
    SigningKeys,
    KeyRing,
    KeyRotation,
    CredentialCache,
    OwnClients,
    People,
    Pruning,
    ProviderMetadata,
    ProviderKeys,
    IdTokens,
    Sessions,
    SessionJwts,
    ServiceAccountTokens,
    AccessTokens,
    AnonymousUsers,
    Me,
    WebSessionTickets,
    WebSessions,
    FederatedProfiles,
    FederatedAccounts,
    FederatedMemberships,
    FederatedLogins,
    RelyingParty,
    PendingLogins,
    StartingSessions,
    ProviderLogins,
    ExchangedTokens,
    TokenExchanges,
    JwtStrategy,
    AccessTokenStrategy,
    OrgApiKeyStrategy,
    WorkspaceApiKeyStrategy,
    WebSessionTicketStrategy,
    TokenExchangeStrategy,
    PlatformIdentities,
    IdentifiedCallers,
    PlatformIdentityStrategy,
    ActingAgents,
    AuthenticationGuard,
  ],
  exports: [
    AuthenticationGuard,
    CredentialCache,
    KeyRing,
    KeyRotation,
    Reencryption,
    SigningKeys,
    Sessions,
    SessionJwts,
    AccessTokens,
    AnonymousUsers,
    WebSessionTickets,
    ExchangedTokens,
    OwnClients,
    Pruning,
    JwtStrategy,
  ],
})
export class AuthModule {}
