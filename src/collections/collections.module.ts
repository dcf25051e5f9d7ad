import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule } from '../identity/identity.module.js';
import { IndexBuildSessions } from '../storage/index-build-session.js';
import { AccessDenials } from './access-denials.service.js';
import { Collection } from './collection.entity.js';
import { CollectionAccessGuard } from './collection-access.guard.js';
import { CollectionAccess } from './collection-access.js';
import { CollectionAuditController } from './collection-audit.controller.js';
import { CollectionBinding } from './collection-binding.entity.js';
import { CollectionDirectory } from './collection-directory.js';
import { CollectionsController } from './collections.controller.js';
import { Collections } from './collections.service.js';
import { ExpiringCollections } from './expiring-collections.service.js';
import { IndexBuilds } from './schema/index-builds.service.js';
import { RecordRemains } from './schema/record-remains.service.js';
import { SchemaController } from './schema/schema.controller.js';
import { SchemaChanges } from './schema/schema-changes.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Collection, CollectionBinding]), IdentityModule],
  controllers: [CollectionsController, CollectionAuditController, SchemaController],
  providers: [
    Collections,
    AccessDenials,
    CollectionAccess,
    CollectionAccessGuard,
    CollectionDirectory,
    ExpiringCollections,
    IndexBuilds,
    IndexBuildSessions,
    RecordRemains,
    SchemaChanges,
  ],
  exports: [
    Collections,
    CollectionAccess,
    CollectionAccessGuard,
    ExpiringCollections,
    IndexBuilds,
    SchemaChanges,
  ],
})
export class CollectionsModule {}
