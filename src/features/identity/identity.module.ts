import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Agent, User } from './identity.entity.js';
import { LastUses } from './last-uses.service.js';
import { Pruning } from './pruning.js';
import { Agents, Users } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Agent])],
  providers: [Users, Agents, LastUses, Pruning],
  exports: [Users, Agents, LastUses, Pruning],
})
export class IdentityModule {}
