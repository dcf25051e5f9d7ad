import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AiModule } from './ai/ai.module.js';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { Bootstrap } from './app.bootstrap.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { AuthenticationGuard } from './auth/authentication.guard.js';
import { CallersModule } from './auth/callers.module.js';
import { OidcModule } from './auth/oidc/oidc.module.js';
import { RecheckGuard } from './auth/recheck.guard.js';
import { ChangesModule } from './changes/changes.module.js';
import { ChartsModule } from './charts/charts.module.js';
import { CollectionAccessGuard } from './collections/collection-access.guard.js';
import { CollectionsModule } from './collections/collections.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { forwardTargets } from './gateway/forwarding.service.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { BodyGuard } from './http/body.guard.js';
import { HttpModule } from './http/http.module.js';
import { RateLimitGuard } from './http/rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './http/rate-limit/rate-limit.module.js';
import { IdempotencyGuard } from './idempotency/idempotency.guard.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import type { Clock } from './kernel/clock.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrgGuard } from './orgs/org.guard.js';
import { OrgsModule } from './orgs/orgs.module.js';
import { OutboundModule } from './outbound/outbound.module.js';
import { RecordsModule } from './records/records.module.js';
import { RuntimeModule } from './runtime/runtime.module.js';
import { SharingModule } from './sharing/sharing.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { WorkspaceAccessGuard } from './workspaces/workspace-access.guard.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/**
 * The order of refusals is the order of these guards: 401, 429, then 404 and 403; then the body is read, rights are decided
 * again if it took long, and a retry is recognized.
 */
const GUARDS = [
  AuthenticationGuard,
  RateLimitGuard,
  OrgGuard,
  CollectionAccessGuard,
  WorkspaceAccessGuard,
  BodyGuard,
  RecheckGuard,
  IdempotencyGuard,
];

/** Every feature of the service. The routes that are called most come first: Express looks for them in this order. */
@Module({})
export class AppModule {
  static with(settings: Settings, clock?: Clock): DynamicModule {
    const guards = GUARDS.filter(guard => guard !== RateLimitGuard || settings.RATE_LIMITS === 'on');
    const gateway = GatewayModule.with(forwardTargets(settings));
    // A gateway alone has the routes of the runtime as well, and passes them over; together they come before its own.
    const forwardsAll = !settings.PLATFORM_ROLES.includes('runtime');
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings, clock),
        ...(forwardsAll ? [gateway] : []),
        AnalyticsModule,
        RecordsModule,
        CollectionsModule,
        TransferModule,
        SharingModule,
        ApiKeysModule,
        ChartsModule,
        ChangesModule,
        McpModule,
        AiModule,

        AuthModule,
        CallersModule,
        OidcModule,
        WorkspacesModule,
        RuntimeModule,
        OrgsModule,
        ...(forwardsAll ? [] : [gateway]),
        IdentityModule,
        HttpModule,
        OutboundModule,
        RateLimitModule,
        IdempotencyModule,
        AuditModule,
        DatabaseModule,
        JobsModule,
        MetricsModule,
      ],
      providers: [Bootstrap, ...guards.map(guard => ({ provide: APP_GUARD, useExisting: guard }))],
    };
  }
}
