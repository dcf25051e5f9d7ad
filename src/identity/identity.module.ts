import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Agent, User } from './identity.entity.js';
import { CredentialChanges, Pruning, RightsTransaction } from './rights-transaction.js';
import { Agents, Users } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Agent])],
  providers: [Users, Agents, RightsTransaction, Pruning, CredentialChanges],
  exports: [Users, Agents, RightsTransaction, Pruning, CredentialChanges],
})
export class IdentityModule {}
