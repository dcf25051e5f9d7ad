import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessGuard } from '../../platform/http/access/access.guard.js';
import { RecheckStep } from '../../platform/http/access/access-step.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AuthModule } from './auth.module.js';
import { RightsRecheck } from './recheck.step.js';

/**
 * The access guard with the steps that features provide. Global: features on lower floors use the guard and the
 * authentication, and cannot import this module.
 */
@Global()
@Module({
  imports: [DiscoveryModule, HttpModule, AuthModule, CollectionsModule, OrgsModule, WorkspacesModule],
  providers: [AccessGuard, { provide: RecheckStep, useClass: RightsRecheck }],
  exports: [AccessGuard, AuthModule],
})
export class AccessModule {}
