import { Module } from '@nestjs/common';
import { AiModule } from '../ai/ai.module.js';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { RateLimitModule } from '../http/rate-limit/rate-limit.module.js';
import { RecordsModule } from '../records/records.module.js';
import { Completions } from './completions.service.js';
import { Discovery } from './discovery.service.js';
import { DoorsGuard } from './doors.guard.js';
import { DryRunTokens } from './dry-run-tokens.service.js';
import { EmptyResults } from './hints/empty-results.service.js';
import { McpController } from './mcp.controller.js';
import { McpServers } from './mcp-servers.service.js';
import { Resources } from './resources.service.js';
import { ResultBudget } from './result-budget.js';
import { Subscriptions } from './subscriptions.service.js';
import type { McpTool } from './tool.js';
import { TOOLS } from './tools/index.js';
import { Tools } from './tools.service.js';

/** The face for language models: the operations of REST as tools of the Model Context Protocol. */
@Module({
  imports: [AiModule, AnalyticsModule, ChangesModule, CollectionsModule, RecordsModule, RateLimitModule],
  controllers: [McpController],
  providers: [
    McpServers,
    Resources,
    Discovery,
    Completions,
    Subscriptions,
    DryRunTokens,
    ResultBudget,
    EmptyResults,
    DoorsGuard,
    ...TOOLS,
    {
      provide: Tools,
      useFactory: (budget: ResultBudget, ...tools: McpTool[]) => new Tools(budget, tools),
      inject: [ResultBudget, ...TOOLS],
    },
  ],
})
export class McpModule {}
