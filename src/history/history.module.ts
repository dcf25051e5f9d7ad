import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { HttpModule } from '../http/http.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { HistoryController } from './history.controller.js';
import { RecordHistory } from './record-history.service.js';
import { VersionPruning } from './version-pruning.service.js';

/** What writes have replaced: the versions of a record, and their removal. */
@Module({
  imports: [CollectionsModule, HttpModule, StorageModule],
  controllers: [HistoryController],
  providers: [RecordHistory, VersionPruning],
  exports: [VersionPruning],
})
export class HistoryModule {}
