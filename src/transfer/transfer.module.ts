import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { CopySessions } from '../storage/copy/copy-sessions.js';
import { StorageModule } from '../storage/storage.module.js';
import { Exports } from './exports.service.js';
import { ImportMerge } from './import/import-merge.service.js';
import { Imports } from './import/imports.service.js';
import { LastingAccesses } from './long-transfer.js';
import { TransferController } from './transfer.controller.js';

@Module({
  imports: [CollectionsModule, StorageModule],
  controllers: [TransferController],
  providers: [CopySessions, Exports, ImportMerge, Imports, LastingAccesses],
})
export class TransferModule {}
