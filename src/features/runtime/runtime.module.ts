import { Module } from '@nestjs/common';
import { OrgsModule } from '../orgs/orgs.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { RuntimeController } from './runtime.controller.js';
import { WorkspaceCalls, WorkspaceOperations } from './workspace-calls.service.js';
import { WorkspaceContexts } from './workspace-contexts.service.js';

/** The variables that automations of a workspace see, and calls between workspaces. */
@Module({
  imports: [OrgsModule, WorkspacesModule],
  controllers: [RuntimeController],
  providers: [WorkspaceContexts, WorkspaceOperations, WorkspaceCalls],
})
export class RuntimeModule {}
