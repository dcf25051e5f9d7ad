import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { Analytics } from './analytics.service.js';

@Module({
  imports: [CollectionsModule, StorageModule],
  controllers: [AnalyticsController],
  providers: [Analytics],
  exports: [Analytics],
})
export class AnalyticsModule {}
