import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../../base/kernel/clock.js';
import { Secrets } from '../../../../platform/config/secrets.js';
import { Settings } from '../../../../platform/config/settings.js';
import { OutboundFetch } from '../../../../platform/outbound/outbound-fetch.js';
import { Users } from '../../../identity/users.service.js';
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
