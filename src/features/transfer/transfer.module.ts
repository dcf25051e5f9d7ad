import { Module } from '@nestjs/common';
import { CopySessions } from '../../engine/storage/copy/copy-sessions.js';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
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
