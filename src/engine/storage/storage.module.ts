import { Module } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { Statements } from '../../platform/database/statements.js';
import { Transactions } from '../../platform/database/transactions.js';
import { IndexUses } from './advice/index-uses.js';
import { SeenQueries } from './advice/seen-queries.js';
import { NodeTables } from './citus/node-tables.js';
import { QuotaLeases } from './quota/quota-leases.js';
import { RecordAdmission } from './record-admission.js';
import { RecordStore } from './record-store.js';
import { RecordTransactions } from './record-transactions.js';
import { TableStatistics } from './table/table-statistics.service.js';
import { OwnTables, TableAccess } from './table-access.js';

@Module({
  providers: [
    {
      provide: TableAccess,
      useFactory: ({ DATABASE_CITUS }: Settings, statements: Statements, transactions: Transactions) =>
        DATABASE_CITUS === 'on' ? new NodeTables(statements, transactions) : new OwnTables(statements),
      inject: [Settings, Statements, Transactions],
    },
    RecordAdmission,
    QuotaLeases,
    RecordStore,
    RecordTransactions,
    TableStatistics,
    IndexUses,
    SeenQueries,
  ],
  exports: [
    TableAccess,
    QuotaLeases,
    RecordStore,
    RecordTransactions,
    TableStatistics,
    IndexUses,
    SeenQueries,
  ],
})
export class StorageModule {}
