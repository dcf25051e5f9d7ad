import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HttpModule } from '../../../platform/http/http.module.js';
import { IdentityModule } from '../../identity/identity.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { AuthModule } from '../auth.module.js';
import { ApplicationsController } from './applications.controller.js';
import { Applications } from './applications.service.js';
import { AuthorizationServerController, InteractionsController } from './authorization-server.controller.js';
import { AuthorizationServer } from './authorization-server.service.js';
import { BrowserSessions } from './browser-sessions.service.js';
import { RegisteredClients } from './clients.service.js';
import { Grants } from './interactions/grants.service.js';
import { Interactions } from './interactions/interactions.service.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { OidcPayload } from './oidc-payload.entity.js';
import { OidcPayloads } from './oidc-payloads.service.js';
import { ProviderParts } from './provider/provider-parts.service.js';

/** The authorization server under /oidc, for the platform's own clients and for third-party clients. */
@Module({
  imports: [TypeOrmModule.forFeature([OidcPayload]), AuthModule, IdentityModule, OrgsModule, HttpModule],
  providers: [
    AuthorizationServer,
    ProviderParts,
    BrowserSessions,
    OidcPayloads,
    RegisteredClients,
    Grants,
    Interactions,
    Applications,
  ],
  exports: [AuthorizationServer, Applications, Interactions, OidcPayloads],
})
export class OidcModule {}

/** The endpoints of the authorization server. Only a gateway imports it. */
@Module({
  imports: [OidcModule, HttpModule],
  controllers: [
    MetadataController,
    AuthorizationServerController,
    InteractionsController,
    ApplicationsController,
  ],
})
export class OidcRoutesModule {}
