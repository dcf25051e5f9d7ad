import { Module } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { OutboundFetch } from '../../platform/outbound/outbound-fetch.js';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { AskCollectionController, SuggestSchemaController } from './ai.controller.js';
import { AiAdapter, aiAdapter } from './ai-adapter.js';
import { AiBudget } from './openai/ai-budget.service.js';
import { QuestionPlanner } from './question-planner.js';
import { AskCollection, CollectionOutlines } from './questions/ask-collection.service.js';
import { PlanRuns } from './questions/plan-runs.service.js';
import { SchemaSuggester } from './schema-suggester.js';
import { SuggestSchema } from './suggest-schema.service.js';

@Module({
  imports: [AnalyticsModule, CollectionsModule, RecordsModule],
  controllers: [AskCollectionController, SuggestSchemaController],
  providers: [
    AskCollection,
    CollectionOutlines,
    PlanRuns,
    SuggestSchema,
    AiBudget,
    { provide: AiAdapter, useFactory: aiAdapter, inject: [Settings, AiBudget, OutboundFetch] },
    { provide: QuestionPlanner, useFactory: ({ questions }: AiAdapter) => questions, inject: [AiAdapter] },
    { provide: SchemaSuggester, useFactory: ({ schemas }: AiAdapter) => schemas, inject: [AiAdapter] },
  ],
  exports: [AskCollection, SuggestSchema],
})
export class AiModule {}
