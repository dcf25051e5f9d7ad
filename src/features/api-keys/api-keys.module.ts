import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';

@Module({
  imports: [CollectionsModule, IdentityModule, OrgsModule],
  controllers: [ApiKeysController],
  providers: [ApiKeys],
})
export class ApiKeysModule {}
