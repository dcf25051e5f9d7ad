import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Clock } from '../base/kernel/clock.js';
import { AdviceModule } from '../features/advice/advice.module.js';
import { AiModule } from '../features/ai/ai.module.js';
import { AnalyticsModule } from '../features/analytics/analytics.module.js';
import { ApiKeysModule } from '../features/api-keys/api-keys.module.js';
import { AccessModule } from '../features/auth/access.module.js';
import { AuthModule, AuthRoutesModule } from '../features/auth/auth.module.js';
import { OidcModule, OidcRoutesModule } from '../features/auth/oidc/oidc.module.js';
import { ChangesModule } from '../features/changes/changes.module.js';
import { ChartsModule } from '../features/charts/charts.module.js';
import { CollectionsModule } from '../features/collections/collections.module.js';
import { ConsoleModule } from '../features/console/console.module.js';
import { ExplainModule } from '../features/explain/explain.module.js';
import { forwardTargets } from '../features/gateway/forwarding.service.js';
import { GatewayModule } from '../features/gateway/gateway.module.js';
import { HistoryModule } from '../features/history/history.module.js';
import { IdentityModule } from '../features/identity/identity.module.js';
import { McpModule } from '../features/mcp/mcp.module.js';
import { OrgRoutesModule, OrgsModule } from '../features/orgs/orgs.module.js';
import { RecordsModule } from '../features/records/records.module.js';
import { RuntimeModule } from '../features/runtime/runtime.module.js';
import { SharingModule } from '../features/sharing/sharing.module.js';
import { TransferModule } from '../features/transfer/transfer.module.js';
import { ViewsModule } from '../features/views/views.module.js';
import { WorkspaceRoutesModule, WorkspacesModule } from '../features/workspaces/workspaces.module.js';
import { AuditModule } from '../platform/audit/audit.module.js';
import { ConfigModule } from '../platform/config/config.module.js';
import type { Settings } from '../platform/config/settings.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { AccessGuard } from '../platform/http/access/access.guard.js';
import { DocumentationModule } from '../platform/http/documentation/documentation.module.js';
import { HttpModule } from '../platform/http/http.module.js';
import { RootModule } from '../platform/http/root.controller.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { Bootstrap } from './bootstrap.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MetricsModule } from './metrics/metrics.module.js';

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
        MailModule.with({ sends: true }),
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
