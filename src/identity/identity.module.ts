import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Agent } from './agent.entity.js';
import { Agents } from './agents.service.js';
import { CredentialChanges, LocalCredentialChanges } from './credential-changes.js';
import { RightsTransaction } from './rights-transaction.js';
import { User } from './user.entity.js';
import { Users } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Agent])],
  providers: [
    Users,
    Agents,
    RightsTransaction,
    { provide: CredentialChanges, useClass: LocalCredentialChanges },
  ],
  exports: [Users, Agents, RightsTransaction, CredentialChanges],
})
export class IdentityModule {}
