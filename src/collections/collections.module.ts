import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule } from '../identity/identity.module.js';
import { Collection } from './collection.entity.js';
import { CollectionAccessGuard } from './collection-access.guard.js';
import { CollectionAccess } from './collection-access.js';
import { CollectionDirectory } from './collection-directory.js';
import { CollectionsController } from './collections.controller.js';
import { Collections } from './collections.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Collection]), IdentityModule],
  controllers: [CollectionsController],
  providers: [Collections, CollectionAccess, CollectionAccessGuard, CollectionDirectory],
  exports: [CollectionAccess, CollectionAccessGuard],
})
export class CollectionsModule {}
