import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Statements } from '../database/statements.js';
import { NodeTables } from './citus/node-tables.js';
import { QuotaLeases } from './quota/quota-leases.js';
import { RecordAdmission } from './record-admission.js';
import { RecordStore } from './record-store.js';
import { RecordTransactions } from './record-transactions.js';
import { OwnTables, TableAccess } from './table-access.js';

@Module({
  providers: [
    {
      provide: TableAccess,
      useFactory: ({ DATABASE_CITUS }: Settings, statements: Statements) =>
        DATABASE_CITUS === 'on' ? new NodeTables(statements) : new OwnTables(statements),
      inject: [Settings, Statements],
    },
    RecordAdmission,
    QuotaLeases,
    RecordStore,
    RecordTransactions,
  ],
  exports: [TableAccess, QuotaLeases, RecordStore, RecordTransactions],
})
export class StorageModule {}
