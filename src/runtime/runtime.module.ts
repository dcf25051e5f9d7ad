import { Module } from '@nestjs/common';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { RuntimeController } from './runtime.controller.js';
import { WorkspaceCallLog } from './workspace-call-log.service.js';
import { WorkspaceCalls } from './workspace-calls.service.js';
import { WorkspaceContexts } from './workspace-contexts.service.js';
import { WorkspaceOperations } from './workspace-operations.service.js';

/** What automations of workspaces know, and how workspaces call each other. */
@Module({
  imports: [OrgsModule, WorkspacesModule],
  controllers: [RuntimeController],
  providers: [WorkspaceContexts, WorkspaceOperations, WorkspaceCallLog, WorkspaceCalls],
})
export class RuntimeModule {}
