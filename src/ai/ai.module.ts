import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { BuiltinSchemas } from './builtin-schemas/builtin-schemas.js';
import { QuestionPlanner } from './question-planner.js';
import { AskCollectionController } from './questions/ask-collection.controller.js';
import { AskCollection } from './questions/ask-collection.service.js';
import { CollectionSights } from './questions/collection-sights.service.js';
import { PlanRuns } from './questions/plan-runs.service.js';
import { SchemaSuggester } from './schema-suggester.js';
import { SuggestSchemaController } from './schemas/suggest-schema.controller.js';
import { SuggestSchema } from './schemas/suggest-schema.service.js';

@Module({
  imports: [AnalyticsModule, CollectionsModule, RecordsModule],
  controllers: [AskCollectionController, SuggestSchemaController],
  providers: [
    AskCollection,
    CollectionSights,
    PlanRuns,
    SuggestSchema,
    { provide: QuestionPlanner, useValue: { plan: async () => ({ refusal: 'No planner.' }) } },
    { provide: SchemaSuggester, useClass: BuiltinSchemas },
  ],
  exports: [AskCollection, SuggestSchema],
})
export class AiModule {}
