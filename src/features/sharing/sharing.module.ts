import { Module } from '@nestjs/common';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { AccessBindings } from './access-bindings.service.js';
import { AccessExplanations } from './access-explanations.service.js';
import { RecordExplanations } from './record-explanations.service.js';
import { SharingController } from './sharing.controller.js';

/** Sharing of collections: access bindings and explanations of access. */
@Module({
  imports: [CollectionsModule, IdentityModule, OrgsModule, StorageModule],
  controllers: [SharingController],
  providers: [AccessBindings, AccessExplanations, RecordExplanations],
})
export class SharingModule {}
