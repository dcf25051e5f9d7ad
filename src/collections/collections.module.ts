import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityModule } from '../identity/identity.module.js';
import { AccessDenials } from './access-denials.service.js';
import { Collection } from './collection.entity.js';
import { CollectionAccessGuard } from './collection-access.guard.js';
import { CollectionAccess } from './collection-access.js';
import { CollectionBinding } from './collection-binding.entity.js';
import { CollectionDirectory } from './collection-directory.js';
import { CollectionsController } from './collections.controller.js';
import { Collections } from './collections.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Collection, CollectionBinding]), IdentityModule],
  controllers: [CollectionsController],
  providers: [Collections, AccessDenials, CollectionAccess, CollectionAccessGuard, CollectionDirectory],
  exports: [CollectionAccess, CollectionAccessGuard],
})
export class CollectionsModule {}
