import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkspaceStep } from '../../platform/http/access/access-step.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { ManagedWorkspaceApiKeys } from './api-keys/managed-workspace-api-keys.service.js';
import { WorkspaceApiKeysController } from './api-keys/workspace-api-keys.controller.js';
import { WorkspaceApiKeys } from './api-keys/workspace-api-keys.service.js';
import { CollaboratorsController } from './collaborators/collaborators.controller.js';
import { Collaborators } from './collaborators/collaborators.service.js';
import { PermissionChecks } from './security/permission-checks.service.js';
import { WorkspaceSecurityController } from './security/workspace-security.controller.js';
import { WorkspaceSecurity } from './security/workspace-security.service.js';
import { Workspace, WorkspaceApiKey, WorkspaceCollaborator } from './workspace.entity.js';
import { WorkspaceAccesses, WorkspaceRequirements } from './workspace-access.js';
import { WorkspacesController } from './workspaces.controller.js';
import { Workspaces } from './workspaces.service.js';

/** Workspaces of organizations: their collaborators, roles, rules and API keys. */
@Module({
  imports: [
    IdentityModule,
    OrgsModule,
    TypeOrmModule.forFeature([Workspace, WorkspaceCollaborator, WorkspaceApiKey]),
  ],
  providers: [
    Workspaces,
    WorkspaceSecurity,
    PermissionChecks,
    WorkspaceApiKeys,
    ManagedWorkspaceApiKeys,
    Collaborators,
    WorkspaceAccesses,
    { provide: WorkspaceStep, useClass: WorkspaceRequirements },
  ],
  exports: [
    WorkspaceStep,
    WorkspaceAccesses,
    WorkspaceApiKeys,
    Workspaces,
    WorkspaceSecurity,
    PermissionChecks,
    Collaborators,
    ManagedWorkspaceApiKeys,
  ],
})
export class WorkspacesModule {}

/** Workspaces over HTTP. Only a gateway imports it. */
@Module({
  imports: [WorkspacesModule, IdentityModule, OrgsModule],
  controllers: [
    WorkspacesController,
    WorkspaceSecurityController,
    WorkspaceApiKeysController,
    CollaboratorsController,
  ],
})
export class WorkspaceRoutesModule {}
