import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { AccessedWorkspace, type WorkspaceAccess } from '../workspace-access.js';
import {
  CollaboratorListView,
  Collaborators,
  CollaboratorView,
  GrantWorkspaceRoleBody,
} from './collaborators.service.js';

const ADMINISTER = { workspace: 'administer' } as const;

@ApiTags('Workspaces')
@ApiParam({ name: 'workspaceId', description: 'Id of the workspace, or `slug:` followed by its slug.' })
@AdmittedWrites()
@Controller('v2/workspaces/:workspaceId/permissions')
export class CollaboratorsController {
  constructor(private readonly collaborators: Collaborators) {}

  @Get()
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'List the collaborators of a workspace' })
  @ApiOkResponse({ type: CollaboratorListView })
  listWorkspacePermissions(@AccessedWorkspace() access: WorkspaceAccess, @Query() page: PageQuery) {
    return this.collaborators.list(access, page);
  }

  @Post()
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'Give a member of the organization a role in a workspace' })
  @ApiCreatedResponse({ type: CollaboratorView })
  grantWorkspacePermission(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Body() body: GrantWorkspaceRoleBody,
  ) {
    return this.collaborators.grant(call, access, body);
  }

  @Delete(':userId')
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'Remove a collaborator from a workspace' })
  @ApiOkResponse({ type: DoneView })
  revokeWorkspacePermission(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Param('userId') userId: string,
  ) {
    return this.collaborators.revoke(call, access, userId);
  }
}
