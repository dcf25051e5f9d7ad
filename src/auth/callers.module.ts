import { Global, Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { CallerCheck } from '../http/caller-check.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AuthModule } from './auth.module.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { RecheckGuard } from './recheck.guard.js';

/** Later looks at the caller of a request. Global: lower floors ask for them and cannot import this one. */
@Global()
@Module({
  imports: [AuthModule, CollectionsModule, OrgsModule, WorkspacesModule],
  providers: [{ provide: CallerCheck, useExisting: AuthenticationGuard }, RecheckGuard],
  exports: [CallerCheck, RecheckGuard],
})
export class CallersModule {}
