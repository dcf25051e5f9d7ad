import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { Collection } from '../collections/collection.entity.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { BatchRecords } from './batch/batch-records.service.js';
import { BatchConflicts, BulkUpserts } from './bulk-upserts.service.js';
import { DeleteRecords } from './delete-records.service.js';
import { ExpiredRecords, RecordExpiry } from './expiry.service.js';
import { InsertRecords, QuotaInserts } from './insert-records.service.js';
import { LockedUpdates } from './locked-updates.service.js';
import { QueryRecords } from './query/query-records.service.js';
import { Cursors } from './query/record-cursors.js';
import { WriteRetries } from './record-writes.js';
import { RecordsController } from './records.controller.js';
import { SelectionUpdates, UpdateRecords } from './update-records.service.js';
import { UpsertRecords } from './upsert-records.service.js';
import { WriteBatcher } from './write-batcher.service.js';

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
    QuotaInserts,
    WriteBatcher,
    SelectionUpdates,
    LockedUpdates,
    WriteRetries,
    BulkUpserts,
    BatchConflicts,
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
    WriteRetries,
    ExpiredRecords,
    RecordExpiry,
  ],
})
export class RecordsModule {}
