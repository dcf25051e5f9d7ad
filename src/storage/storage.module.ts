import { Module } from '@nestjs/common';
import { RecordAdmission } from './record-admission.js';
import { RecordSlots } from './record-slots.js';
import { RecordStore } from './record-store.js';
import { RecordTransactions } from './record-transactions.js';

@Module({
  providers: [RecordAdmission, RecordSlots, RecordStore, RecordTransactions],
  exports: [RecordSlots, RecordStore, RecordTransactions],
})
export class StorageModule {}
