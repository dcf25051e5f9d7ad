import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdviceModule } from './advice/advice.module.js';
import { AiModule } from './ai/ai.module.js';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { Bootstrap } from './app.bootstrap.js';
import { AuditModule } from './audit/audit.module.js';
import { AccessModule } from './auth/access.module.js';
import { AuthModule, AuthRoutesModule } from './auth/auth.module.js';
import { OidcModule, OidcRoutesModule } from './auth/oidc/oidc.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { ChartsModule } from './charts/charts.module.js';
import { CollectionsModule } from './collections/collections.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { ConsoleModule } from './console/console.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { forwardTargets } from './gateway/forwarding.service.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { HistoryModule } from './history/history.module.js';
import { AccessGuard } from './http/access/access.guard.js';
import { DocumentationModule } from './http/documentation/documentation.module.js';
import { HttpModule } from './http/http.module.js';
import { RootModule } from './http/root.controller.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import type { Clock } from './kernel/clock.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrgRoutesModule, OrgsModule } from './orgs/orgs.module.js';
import { OutboundModule } from './outbound/outbound.module.js';
import { RecordsModule } from './records/records.module.js';
import { RuntimeModule } from './runtime/runtime.module.js';
import { SharingModule } from './sharing/sharing.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { ViewsModule } from './views/views.module.js';
import { WorkspaceRoutesModule, WorkspacesModule } from './workspaces/workspaces.module.js';

/** True for a process with Swagger UI and `/openapi.json`. */
export function servesDocumentation({ DOCS, PLATFORM_ROLES }: Settings): boolean {
  return DOCS === 'on' && PLATFORM_ROLES.includes('gateway');
}

/** True for a process with the web console. */
function servesConsole({ CONSOLE, PLATFORM_ROLES }: Settings): boolean {
  return CONSOLE === 'on' && PLATFORM_ROLES.includes('gateway');
}

/**
 * Every feature of the service, with the routes of the process's roles. The routes that are called most come first: Express
 * looks for them in this order.
 */
@Module({})
export class AppModule {
  static with(settings: Settings, clock?: Clock): DynamicModule {
    const { PLATFORM_ROLES } = settings;
    const [isGateway, isRuntime] = [PLATFORM_ROLES.includes('gateway'), PLATFORM_ROLES.includes('runtime')];
    const forwarding = GatewayModule.with(forwardTargets(settings));
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings, clock),
        // A gateway alone imports records, collections and changes for its jobs. It forwards their routes, so it looks for
        // the forwarding routes first.
        ...(isRuntime ? [] : [forwarding]),
        ...(isRuntime ? [AnalyticsModule] : []),
        RecordsModule,
        CollectionsModule,
        ...(isRuntime
          ? [
              TransferModule,
              SharingModule,
              ApiKeysModule,
              ChartsModule,
              ViewsModule,
              McpModule,
              AiModule,
              ExplainModule,
              AdviceModule,
            ]
          : []),
        ChangesModule,
        HistoryModule,
        AuthModule,
        AccessModule,
        OidcModule,
        WorkspacesModule,
        OrgsModule,
        ...(isGateway
          ? [AuthRoutesModule, OidcRoutesModule, WorkspaceRoutesModule, RuntimeModule, OrgRoutesModule]
          : []),
        ...(isRuntime ? [forwarding] : []),
        ...(isGateway ? [RootModule] : []),
        IdentityModule,
        HttpModule,
        OutboundModule,
        IdempotencyModule,
        AuditModule,
        DatabaseModule,
        JobsModule,
        MetricsModule,
        ...(servesConsole(settings) ? [ConsoleModule] : []),
        ...(servesDocumentation(settings) ? [DocumentationModule] : []),
      ],
      providers: [Bootstrap, { provide: APP_GUARD, useExisting: AccessGuard }],
    };
  }
}
