import { Module } from '@nestjs/common';
import { QuotaLeases } from './quota-leases.js';
import { RecordAdmission } from './record-admission.js';
import { RecordStore } from './record-store.js';
import { RecordTransactions } from './record-transactions.js';

@Module({
  providers: [RecordAdmission, QuotaLeases, RecordStore, RecordTransactions],
  exports: [QuotaLeases, RecordStore, RecordTransactions],
})
export class StorageModule {}
