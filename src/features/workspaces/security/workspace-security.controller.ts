import { Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { AccessedWorkspace, type WorkspaceAccess } from '../workspace-access.js';
import { PermissionChecks } from './permission-checks.service.js';
import {
  CheckBody,
  ReplaceSecurityBody,
  SecurityView,
  VerdictView,
  WorkspaceRoleListView,
} from './security.dto.js';
import { WorkspaceSecurity } from './workspace-security.service.js';

@ApiTags('Workspaces')
@ApiParam({ name: 'workspaceId', description: 'Id of the workspace, or `slug:` followed by its slug.' })
@AdmittedWrites()
@Controller('v2/workspaces/:workspaceId/security')
export class WorkspaceSecurityController {
  constructor(
    private readonly security: WorkspaceSecurity,
    private readonly checks: PermissionChecks,
  ) {}

  @Get()
  @Requires({ workspace: 'administer' })
  @ApiOperation({ summary: 'Read the roles and rules of a workspace' })
  @ApiOkResponse({ type: SecurityView })
  getWorkspaceSecurity(@AccessedWorkspace() { workspace }: WorkspaceAccess) {
    return SecurityView.of(workspace);
  }

  @Put()
  @Requires({ workspace: 'administer' })
  @Refuses(
    409,
    'The current state does not allow it: a role that would be removed is assigned to a collaborator.',
  )
  @ApiOperation({ summary: 'Replace the roles and rules of a workspace' })
  @ApiOkResponse({ type: SecurityView })
  replaceWorkspaceSecurity(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Body() body: ReplaceSecurityBody,
  ) {
    return this.security.replace(call, access, body);
  }

  @Get('roles')
  @Requires({ workspace: 'read' })
  @ApiOperation({ summary: 'List the roles that people can have in a workspace' })
  @ApiOkResponse({ type: WorkspaceRoleListView })
  listWorkspaceRoles(@AccessedWorkspace() access: WorkspaceAccess, @Query() page: PageQuery) {
    return this.security.roles(access, page);
  }

  @Post('check')
  @HttpCode(200)
  @Requires({ workspace: 'see' })
  @ApiOperation({ summary: 'Check whether somebody may do something in a workspace, and why' })
  @ApiOkResponse({ type: VerdictView })
  checkWorkspacePermission(@AccessedWorkspace() access: WorkspaceAccess, @Body() body: CheckBody) {
    return this.checks.check(access, body);
  }
}
