import { Module } from '@nestjs/common';
import { HttpModule } from '../../platform/http/http.module.js';
import { AiModule } from '../ai/ai.module.js';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { HistoryModule } from '../history/history.module.js';
import { RecordsModule } from '../records/records.module.js';
import { Discovery } from './discovery.service.js';
import { EmptyResults } from './empty-results.service.js';
import { McpController } from './mcp.controller.js';
import { Completions, McpServers } from './mcp-servers.service.js';
import { DnsRebindingGuard } from './protocol/dns-rebinding.guard.js';
import { Resources } from './resources.service.js';
import { Subscriptions } from './subscriptions.service.js';
import { AskCollectionTool, SuggestSchemaTool } from './tools/ai.tools.js';
import { DataAggregateTool, DataCountTool, DataDistinctTool } from './tools/analytics.tools.js';
import { DataDeleteTool } from './tools/delete.tool.js';
import { DataDiscoverTool } from './tools/discover.tool.js';
import { DryRunTokens } from './tools/dry-run-tokens.js';
import { DataHistoryTool, DataUndoTool } from './tools/history.tools.js';
import { DataGetTool, DataQueryTool } from './tools/read.tools.js';
import { DataCreateCollectionTool, DataUpdateSchemaTool } from './tools/schema.tools.js';
import type { McpTool } from './tools/tool.js';
import { ResultBudget } from './tools/tool-answer.js';
import { Tools } from './tools/tools.service.js';
import { DataInsertTool, DataUpdateTool, DataUpsertTool } from './tools/write.tools.js';

/** All tools in the order of `tools/list`. */
const TOOLS = [
  DataDiscoverTool,
  DataCreateCollectionTool,
  DataUpdateSchemaTool,
  DataInsertTool,
  DataQueryTool,
  DataGetTool,
  DataUpdateTool,
  DataUpsertTool,
  DataDeleteTool,
  DataHistoryTool,
  DataUndoTool,
  DataCountTool,
  DataDistinctTool,
  DataAggregateTool,
  SuggestSchemaTool,
  AskCollectionTool,
] as const;

/** The operations of the REST API as tools of the Model Context Protocol. */
@Module({
  imports: [
    AiModule,
    AnalyticsModule,
    ChangesModule,
    CollectionsModule,
    HistoryModule,
    RecordsModule,
    HttpModule,
  ],
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
    DnsRebindingGuard,
    ...TOOLS,
    {
      provide: Tools,
      useFactory: (budget: ResultBudget, ...tools: McpTool[]) => new Tools(budget, tools),
      inject: [ResultBudget, ...TOOLS],
    },
  ],
})
export class McpModule {}
