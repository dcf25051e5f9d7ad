import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { DoneView } from '../../platform/http/list-page.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import {
  CreateWorkspaceBody,
  ListWorkspacesQuery,
  UpdateWorkspaceBody,
  WorkspaceView,
} from './workspace.dto.js';
import { AccessedWorkspace, type WorkspaceAccess } from './workspace-access.js';
import { Workspaces } from './workspaces.service.js';

const WORKSPACE = {
  name: 'workspaceId',
  description: 'Id of the workspace, or `slug:` followed by its slug.',
};

@ApiTags('Workspaces')
@AdmittedWrites()
@Controller('v2/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: Workspaces) {}

  @Get()
  @Requires({ workspace: 'list' })
  @ApiOperation({ summary: 'List the workspaces that you may see, newest first' })
  @ApiOkResponse({ type: [WorkspaceView] })
  listWorkspaces(@Calling() call: Call, @Query() query: ListWorkspacesQuery) {
    return this.workspaces.list(call, query);
  }

  @Post()
  @Requires({ workspace: 'create' })
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Create a workspace and become its owner' })
  @ApiCreatedResponse({ type: WorkspaceView })
  createWorkspace(@Calling() call: Call, @Body() body: CreateWorkspaceBody) {
    return this.workspaces.create(call, body);
  }

  @Get(':workspaceId')
  @Requires({ workspace: 'read' })
  @ApiOperation({ summary: 'Read a workspace' })
  @ApiParam(WORKSPACE)
  @ApiOkResponse({ type: WorkspaceView })
  getWorkspace(@AccessedWorkspace() { workspace }: WorkspaceAccess) {
    return WorkspaceView.of(workspace);
  }

  @Patch(':workspaceId')
  @Requires({ workspace: 'update' })
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Update a workspace' })
  @ApiParam(WORKSPACE)
  @ApiOkResponse({ type: WorkspaceView })
  updateWorkspace(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Body() body: UpdateWorkspaceBody,
  ) {
    return this.workspaces.update(call, access, body);
  }

  @Delete(':workspaceId')
  @Requires({ workspace: 'delete' })
  @ApiOperation({ summary: 'Delete a workspace with its keys' })
  @ApiParam(WORKSPACE)
  @ApiOkResponse({ type: DoneView })
  deleteWorkspace(@Calling() call: Call, @AccessedWorkspace() access: WorkspaceAccess) {
    return this.workspaces.delete(call, access);
  }
}
