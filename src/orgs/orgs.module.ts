import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgApiKeys } from './api-keys/org-api-keys.service.js';
import { Memberships } from './memberships/memberships.service.js';

@Module({
  imports: [IdentityModule],
  providers: [Memberships, OrgApiKeys],
  exports: [Memberships, OrgApiKeys],
})
export class OrgsModule {}
