import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthenticationStep } from '../../platform/http/access/access-step.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { IdentitySource } from '../../platform/http/identity-source.js';
import { IdentityModule } from '../identity/identity.module.js';
import { Org } from '../orgs/org.entity.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccessToken } from './access-tokens/access-token.entity.js';
import { AccessTokensController } from './access-tokens/access-tokens.controller.js';
import { AccessTokens } from './access-tokens/access-tokens.service.js';
import { Authentication } from './authentication.step.js';
import { CredentialCache } from './credential-cache.js';
import { EmailLoginController } from './email-login/email-login.controller.js';
import { EmailLogin } from './email-login/email-login.entity.js';
import { EmailLoginAdmission } from './email-login/email-login-admission.service.js';
import { EmailLogins } from './email-login/email-logins.service.js';
import { StartedEmailLogins } from './email-login/started-email-logins.service.js';
import { ExchangedToken, FederatedIdentity } from './federated/federated.entity.js';
import { FederatedAccounts } from './federated/federated-accounts.service.js';
import { FederatedLogins } from './federated/federated-logins.service.js';
import { FederatedMemberships } from './federated/federated-memberships.service.js';
import { FederatedProfiles } from './federated/federated-profiles.service.js';
import { JwksController } from './keys/jwks.controller.js';
import { KeyRing } from './keys/key-ring.js';
import { KeyRotation } from './keys/key-rotation.service.js';
import { MasterKey, SigningKey } from './keys/keys.entity.js';
import { MasterKeys, Reencryption } from './keys/master-keys.service.js';
import { SigningKeys } from './keys/signing-keys.service.js';
import { AnonymousUsers } from './login/anonymous-users.service.js';
import { LoginController } from './login/login.controller.js';
import { ProviderLogins } from './login/provider-logins.service.js';
import { PendingLogins, RelyingParty } from './login/relying-party.service.js';
import { FeaturesController } from './me/features.controller.js';
import { Me, MeController } from './me/me.controller.js';
import { OwnClients } from './oidc/clients.service.js';
import { PasskeyCeremonies } from './passkeys/ceremonies.service.js';
import { InvitedRegistrationController } from './passkeys/invited-registration.controller.js';
import { InvitedRegistrations } from './passkeys/invited-registrations.service.js';
import { Passkey, PasskeyChallenge } from './passkeys/passkey.entity.js';
import { PasskeyChallenges } from './passkeys/passkey-challenges.service.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeyLogins } from './passkeys/passkey-logins.service.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { Passkeys } from './passkeys/passkeys.service.js';
import { SignIns } from './passkeys/sign-ins.service.js';
import { ActingAgents, People } from './principals.service.js';
import { IdTokens } from './providers/id-tokens.service.js';
import { ProviderKeys, ProviderMetadata } from './providers/provider-documents.service.js';
import { RecoveryLinksController, RecoveryPageController } from './recovery/recovery.controller.js';
import { RecoveryLink } from './recovery/recovery-link.entity.js';
import { RecoveryLinks } from './recovery/recovery-links.service.js';
import { ServiceAccountTokensController } from './service-accounts/service-account-tokens.controller.js';
import { ServiceAccountTokens } from './service-accounts/service-account-tokens.service.js';
import { Session, WebSessionTicket } from './sessions/session.entity.js';
import { SessionJwts } from './sessions/session-jwts.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.service.js';
import { PlatformIdentities } from './strategies/platform-identities.service.js';
import { IdentifiedCallers, PlatformIdentityStrategy } from './strategies/platform-identity.strategy.js';
import {
  AccessTokenStrategy,
  JwtStrategy,
  OrgApiKeyStrategy,
  WorkspaceApiKeyStrategy,
} from './strategies/token.strategies.js';
import { ExchangedTokens } from './token-exchange/exchanged-tokens.service.js';
import { TokenExchangeController } from './token-exchange/token-exchange.controller.js';
import { TokenExchange } from './token-exchange/token-exchange.service.js';
import { WebSessionController } from './web-session/web-session.controller.js';
import { WebSessionTickets } from './web-session/web-session-tickets.service.js';

/** Authenticates callers: credentials, sessions, logins and the keys that sign JWTs. */
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
      Passkey,
      PasskeyChallenge,
      RecoveryLink,
      EmailLogin,
      Org,
    ]),
    HttpModule,
    IdentityModule,
    OrgsModule,
    WorkspacesModule,
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
    FederatedProfiles,
    FederatedAccounts,
    FederatedMemberships,
    FederatedLogins,
    RelyingParty,
    PendingLogins,
    ProviderLogins,
    PasskeyChallenges,
    PasskeyCeremonies,
    Passkeys,
    PasskeyLogins,
    InvitedRegistrations,
    RecoveryLinks,
    EmailLoginAdmission,
    StartedEmailLogins,
    EmailLogins,
    SignIns,
    ExchangedTokens,
    JwtStrategy,
    AccessTokenStrategy,
    OrgApiKeyStrategy,
    WorkspaceApiKeyStrategy,
    TokenExchange,
    PlatformIdentities,
    IdentifiedCallers,
    PlatformIdentityStrategy,
    { provide: IdentitySource, useExisting: PlatformIdentities },
    ActingAgents,
    { provide: AuthenticationStep, useClass: Authentication },
  ],
  exports: [
    AuthenticationStep,
    IdentitySource,
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
    JwtStrategy,
    Me,
    Passkeys,
    PasskeyChallenges,
    PasskeyLogins,
    InvitedRegistrations,
    RecoveryLinks,
    EmailLoginAdmission,
    StartedEmailLogins,
    EmailLogins,
    SignIns,
    ProviderLogins,
    ServiceAccountTokens,
    TokenExchange,
  ],
})
export class AuthModule {}

/** Signing in, sessions and tokens over HTTP. Only a gateway imports it. */
@Module({
  imports: [AuthModule, HttpModule, IdentityModule, OrgsModule],
  controllers: [
    JwksController,
    LoginController,
    PasskeyLoginController,
    InvitedRegistrationController,
    EmailLoginController,
    RecoveryLinksController,
    RecoveryPageController,
    PasskeysController,
    SessionsController,
    ServiceAccountTokensController,
    AccessTokensController,
    MeController,
    FeaturesController,
    WebSessionController,
    TokenExchangeController,
  ],
})
export class AuthRoutesModule {}
