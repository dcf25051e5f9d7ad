import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { Collection } from '../collections/collection.entity.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { BatchRecords } from './batch/batch-records.service.js';
import { BulkConflicts } from './bulk-conflicts.service.js';
import { BulkUpserts } from './bulk-upserts.service.js';
import { DeleteRecords } from './delete-records.service.js';
import { ExpiredRecords, RecordExpiry } from './expiry.service.js';
import { InsertRecords } from './insert-records.service.js';
import { LockedUpdates } from './locked-updates.service.js';
import { Cursors } from './query/page-request.js';
import { QueryRecords } from './query/query-records.service.js';
import { RecordInserts } from './record-inserts.service.js';
import { RecordsController } from './records.controller.js';
import { SharedWrites } from './shared-writes.service.js';
import { SelectionUpdates, UpdateRecords } from './update-records.service.js';
import { UpsertRecords } from './upsert-records.service.js';
import { WriteAttempts } from './write-attempts.js';

@Module({
  imports: [TypeOrmModule.forFeature([Collection]), CollectionsModule, StorageModule],
  controllers: [RecordsController],
  providers: [
    QueryRecords,
    InsertRecords,
    UpdateRecords,
    UpsertRecords,
    DeleteRecords,
    BatchRecords,
    RecordInserts,
    SharedWrites,
    SelectionUpdates,
    LockedUpdates,
    WriteAttempts,
    BulkUpserts,
    BulkConflicts,
    Cursors,
    ExpiredRecords,
    RecordExpiry,
  ],
  exports: [
    QueryRecords,
    InsertRecords,
    UpdateRecords,
    UpsertRecords,
    DeleteRecords,
    WriteAttempts,
    RecordExpiry,
  ],
})
export class RecordsModule {}
