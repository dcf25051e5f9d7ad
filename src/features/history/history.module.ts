import { Module } from '@nestjs/common';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { DeleteRecordController, HistoryController } from './history.controller.js';
import { PutBackAttempts } from './put-back-attempts.service.js';
import { RecordErasure } from './record-erasure.service.js';
import { RecordHistory } from './record-history.service.js';
import { RestoreController } from './restore.controller.js';
import { RestoreRecords } from './restore-records.service.js';
import { UndoController } from './undo.controller.js';
import { UndoWrites } from './undo-writes.service.js';
import { UndoneEvents } from './undone-events.service.js';
import { VersionPruning } from './version-pruning.service.js';

/** What writes have replaced: the versions of a record, their removal after some time, their erasure, and undoing writes. */
@Module({
  imports: [CollectionsModule, HttpModule, RecordsModule, StorageModule],
  controllers: [HistoryController, DeleteRecordController, UndoController, RestoreController],
  providers: [
    RecordHistory,
    RecordErasure,
    PutBackAttempts,
    RestoreRecords,
    UndoneEvents,
    UndoWrites,
    VersionPruning,
  ],
  exports: [RecordHistory, UndoWrites, VersionPruning],
})
export class HistoryModule {}
