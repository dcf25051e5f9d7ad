import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../../../config/secrets.js';
import { Settings } from '../../../config/settings.js';
import { Users } from '../../../identity/users.service.js';
import { Clock } from '../../../kernel/clock.js';
import { OutboundFetch } from '../../../outbound/outbound-fetch.js';
import { SessionJwts } from '../../sessions/session-jwts.service.js';
import { BrowserSessions } from '../browser-sessions.service.js';
import { OwnClients, RegisteredClients } from '../clients.service.js';
import { Grants } from '../interactions/grants.service.js';
import { OidcPayloads } from '../oidc-payloads.service.js';

/**
 * The services that configure oidc-provider. They are in a file of their own, because the other files of this folder
 * load oidc-provider.
 */
@Injectable()
export class ProviderParts {
  constructor(
    @InjectDataSource() readonly source: DataSource,
    readonly settings: Settings,
    readonly secrets: Secrets,
    readonly clock: Clock,
    readonly users: Users,
    readonly jwts: SessionJwts,
    readonly outbound: OutboundFetch,
    readonly browsers: BrowserSessions,
    readonly payloads: OidcPayloads,
    readonly grants: Grants,
    readonly own: OwnClients,
    readonly registered: RegisteredClients,
  ) {}
}
