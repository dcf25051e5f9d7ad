import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { HttpModule } from '../http/http.module.js';
import { RecordsModule } from '../records/records.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { DeleteRecordController, HistoryController } from './history.controller.js';
import { RecordErasure } from './record-erasure.service.js';
import { RecordHistory } from './record-history.service.js';
import { VersionPruning } from './version-pruning.service.js';

/** What writes have replaced: the versions of a record, their removal after some time, and their erasure. */
@Module({
  imports: [CollectionsModule, HttpModule, RecordsModule, StorageModule],
  controllers: [HistoryController, DeleteRecordController],
  providers: [RecordHistory, RecordErasure, VersionPruning],
  exports: [VersionPruning],
})
export class HistoryModule {}
