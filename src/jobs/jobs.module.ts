import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AdviceModule } from '../advice/advice.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { OidcModule } from '../auth/oidc/oidc.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { Settings } from '../config/settings.js';
import { HistoryModule } from '../history/history.module.js';
import { HttpModule } from '../http/http.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { RecordsModule } from '../records/records.module.js';
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
