import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AdviceModule } from '../../features/advice/advice.module.js';
import { AuthModule } from '../../features/auth/auth.module.js';
import { OidcModule } from '../../features/auth/oidc/oidc.module.js';
import { ChangesModule } from '../../features/changes/changes.module.js';
import { CollectionsModule } from '../../features/collections/collections.module.js';
import { HistoryModule } from '../../features/history/history.module.js';
import { OrgsModule } from '../../features/orgs/orgs.module.js';
import { RecordsModule } from '../../features/records/records.module.js';
import { Settings } from '../../platform/config/settings.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { JobRunner } from './job-runner.js';
import { Schedule } from './schedule.js';

/** Tests call the jobs themselves, so the schedule is off in tests. */
@Module({
  imports: [
    ScheduleModule.forRootAsync({
      inject: [Settings],
      useFactory: ({ NODE_ENV }: Settings) => ({ cronJobs: NODE_ENV !== 'test' }),
    }),
    AuthModule,
    OidcModule,
    ChangesModule,
    HistoryModule,
    CollectionsModule,
    OrgsModule,
    HttpModule,
    RecordsModule,
    AdviceModule,
  ],
  providers: [JobRunner, Schedule],
})
export class JobsModule {}
