import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { IndexBuildSessions } from '../../engine/storage/table/index-build-session.js';
import { CollectionStep } from '../../platform/http/access/access-step.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { Collection } from './collection.entity.js';
import { AccessDenials, CollectionRequirements } from './collection.step.js';
import { CollectionAccess } from './collection-access.js';
import { CollectionBinding } from './collection-binding.entity.js';
import { CollectionDirectory } from './collection-directory.js';
import { CollectionExpiry } from './collection-expiry.service.js';
import {
  CollectionAuditController,
  CollectionsController,
  SchemaController,
} from './collections.controller.js';
import { Collections } from './collections.service.js';
import { FormerSearchIndexes } from './schema/former-search-indexes.service.js';
import { IndexBuilds } from './schema/index-builds.service.js';
import { OnlineChangeSteps } from './schema/online-change-steps.service.js';
import { OnlineChanges } from './schema/online-changes.service.js';
import { RunningChanges } from './schema/running-changes.service.js';
import { SchemaChange } from './schema/schema-change.entity.js';
import { SchemaChanges } from './schema/schema-changes.service.js';
import { TrashController } from './trash/trash.controller.js';
import { Trash } from './trash/trash.service.js';
import { TrashRemoval } from './trash/trash-removal.service.js';
import { TrashedCollections } from './trash/trashed-collections.js';
import { ViewedAccess } from './viewed-access.service.js';
import { ViewedPrincipals } from './viewed-principals.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Collection, CollectionBinding, SchemaChange]),
    IdentityModule,
    OrgsModule,
    StorageModule,
  ],
  controllers: [TrashController, CollectionsController, CollectionAuditController, SchemaController],
  providers: [
    Collections,
    AccessDenials,
    CollectionAccess,
    { provide: CollectionStep, useClass: CollectionRequirements },
    CollectionDirectory,
    CollectionExpiry,
    FormerSearchIndexes,
    IndexBuilds,
    IndexBuildSessions,
    OnlineChanges,
    OnlineChangeSteps,
    RunningChanges,
    SchemaChanges,
    Trash,
    TrashRemoval,
    TrashedCollections,
    ViewedAccess,
    ViewedPrincipals,
  ],
  exports: [
    TrashRemoval,
    AccessDenials,
    Collections,
    CollectionAccess,
    CollectionStep,
    CollectionExpiry,
    FormerSearchIndexes,
    IndexBuilds,
    OnlineChanges,
    SchemaChanges,
    ViewedAccess,
    ViewedPrincipals,
  ],
})
export class CollectionsModule {}
