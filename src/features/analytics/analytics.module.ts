import { Module } from '@nestjs/common';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { Analytics } from './analytics.service.js';

@Module({
  imports: [CollectionsModule, StorageModule],
  controllers: [AnalyticsController],
  providers: [Analytics],
  exports: [Analytics],
})
export class AnalyticsModule {}
