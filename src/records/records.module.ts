import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Collection } from '../collections/collection.entity.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { BatchConflicts } from './batch-conflicts.service.js';
import { BulkUpserts } from './bulk-upserts.service.js';
import { Contention } from './contention.service.js';
import { Cursors } from './cursor.js';
import { ExpiredRecords } from './expired-records.service.js';
import { LockedUpdates } from './locked-updates.service.js';
import { RecordChanger } from './record-changer.service.js';
import { RecordExpiry } from './record-expiry.service.js';
import { RecordInserts } from './record-inserts.service.js';
import { RecordReader } from './record-reader.service.js';
import { RecordRemover } from './record-remover.service.js';
import { RecordUpdates } from './record-updates.service.js';
import { RecordUpserter } from './record-upserter.service.js';
import { RecordWriter } from './record-writer.service.js';
import { RecordsController } from './records.controller.js';
import { SharedInserts } from './shared-inserts.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Collection]), CollectionsModule, StorageModule],
  controllers: [RecordsController],
  providers: [
    RecordReader,
    RecordWriter,
    RecordChanger,
    RecordUpserter,
    RecordRemover,
    RecordInserts,
    SharedInserts,
    RecordUpdates,
    LockedUpdates,
    Contention,
    BulkUpserts,
    BatchConflicts,
    Cursors,
    ExpiredRecords,
    RecordExpiry,
  ],
  exports: [
    RecordReader,
    RecordWriter,
    RecordChanger,
    RecordUpserter,
    RecordRemover,
    ExpiredRecords,
    RecordExpiry,
  ],
})
export class RecordsModule {}
