import { Module } from '@nestjs/common';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { AnalyticsModule } from '../analytics/analytics.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainQuery } from './explain-query.service.js';

@Module({
  imports: [CollectionsModule, RecordsModule, AnalyticsModule, StorageModule],
  controllers: [ExplainController],
  providers: [ExplainQuery],
})
export class ExplainModule {}
