import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RateLimitModule } from '../../http/rate-limit/rate-limit.module.js';
import { IdentityModule } from '../../identity/identity.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { AuthModule } from '../auth.module.js';
import { OidcPayload } from './adapter/oidc-payload.entity.js';
import { OidcPayloads } from './adapter/oidc-payloads.service.js';
import { AuthorizationServerController } from './authorization-server.controller.js';
import { AuthorizationServer } from './authorization-server.service.js';
import { BrowserSessions } from './browser-sessions.service.js';
import { RegisteredClients } from './clients/registered-clients.service.js';
import { Consents } from './interactions/consents.service.js';
import { InteractionsController } from './interactions/interactions.controller.js';
import { Interactions } from './interactions/interactions.service.js';
import { SignOuts } from './interactions/sign-outs.service.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { ProviderParts } from './provider-parts.service.js';
import { Grants } from './tokens/grants.service.js';

/** The authorization server under /oidc, for the platform's own clients and everybody else's. */
@Module({
  imports: [TypeOrmModule.forFeature([OidcPayload]), AuthModule, IdentityModule, OrgsModule, RateLimitModule],
  controllers: [MetadataController, AuthorizationServerController, InteractionsController],
  providers: [
    AuthorizationServer,
    ProviderParts,
    BrowserSessions,
    OidcPayloads,
    RegisteredClients,
    Grants,
    Consents,
    Interactions,
    SignOuts,
  ],
  exports: [OidcPayloads],
})
export class OidcModule {}
