import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Agent, User } from './identity.entity.js';
import { Pruning } from './pruning.js';
import { Agents, Users } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, Agent])],
  providers: [Users, Agents, Pruning],
  exports: [Users, Agents, Pruning],
})
export class IdentityModule {}
