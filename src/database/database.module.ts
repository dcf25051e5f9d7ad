import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { Settings } from '../config/settings.js';
import { Admission } from './admission.js';
import { AdvisoryLock } from './advisory-lock.js';
import { BoundedPool } from './bounded-pool.js';
import { CitusCheck } from './citus/citus-check.service.js';
import { poolOptions } from './connection.js';
import { JobWalks } from './job-walks.js';
import { SnakeCaseNames } from './naming.js';
import { Notifications } from './notifications.js';
import { PatientTransactions } from './patient-transactions.js';
import { PreparedNames } from './prepared-names.js';
import { ReadPipeline } from './read-pipeline.js';
import { ReadinessConnection } from './readiness-connection.js';
import { Replicas } from './replicas.js';
import { SharedTime } from './shared-time.js';
import { Statements } from './statements.js';

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
    Admission,
    AdvisoryLock,
    CitusCheck,
    JobWalks,
    Notifications,
    PatientTransactions,
    PreparedNames,
    ReadinessConnection,
    ReadPipeline,
    Replicas,
    SharedTime,
    Statements,
  ],
  exports: [
    Admission,
    AdvisoryLock,
    JobWalks,
    Notifications,
    PreparedNames,
    ReadinessConnection,
    ReadPipeline,
    Replicas,
    Statements,
  ],
})
export class DatabaseModule {}
