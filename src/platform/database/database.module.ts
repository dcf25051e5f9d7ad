import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { DefaultNamingStrategy } from 'typeorm';
import { Settings } from '../config/settings.js';
import { Admission } from './admission/admission.js';
import { Capacity } from './capacity.js';
import { CitusCheck } from './citus/citus-check.service.js';
import { NodeSchemas } from './citus/org-placement.js';
import { poolOptions } from './connections/options.js';
import { PoolerCheck } from './connections/pooler-check.service.js';
import { PreparedNames } from './connections/prepared-names.js';
import { ReadPipeline } from './connections/read-pipeline.js';
import { ReadinessConnection } from './connections/readiness-connection.js';
import { Replicas } from './connections/replicas.js';
import { BoundedPool } from './connections/watched-client.js';
import { CredentialChanges } from './credential-changes.js';
import { JobProbes } from './job-probes.js';
import { JobWalks } from './job-walks.js';
import { LoneWork } from './lone-work.js';
import { Notifications } from './notifications.js';
import { OrgSchemas } from './org-schema.js';
import { SharedTime } from './shared-time.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Settings],
      useFactory: (settings: Settings) => ({
        type: 'postgres',
        url: settings.DATABASE_URL,
        autoLoadEntities: true,
        namingStrategy: new SnakeCaseNames(),
        retryAttempts: 3,
        retryDelay: 1_000,
        driver: { ...pg, Pool: BoundedPool },
        extra: poolOptions(settings),
      }),
    }),
  ],
  providers: [
    {
      provide: OrgSchemas,
      useFactory: ({ DATABASE_CITUS }: Settings) =>
        DATABASE_CITUS === 'on' ? new NodeSchemas() : new OrgSchemas(),
      inject: [Settings],
    },
    Admission,
    Capacity,
    CitusCheck,
    CredentialChanges,
    JobProbes,
    JobWalks,
    LoneWork,
    Notifications,
    PoolerCheck,
    PreparedNames,
    ReadinessConnection,
    ReadPipeline,
    Replicas,
    SharedTime,
    Statements,
    Transactions,
  ],
  exports: [
    Admission,
    Capacity,
    CredentialChanges,
    JobProbes,
    JobWalks,
    LoneWork,
    Notifications,
    OrgSchemas,
    PreparedNames,
    ReadinessConnection,
    ReadPipeline,
    Replicas,
    Statements,
    Transactions,
  ],
})
export class DatabaseModule {}

/** `createdAt` in an entity is `created_at` in the table. */
export class SnakeCaseNames extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName || propertyName.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  }
}
