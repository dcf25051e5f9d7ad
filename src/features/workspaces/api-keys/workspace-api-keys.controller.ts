import { Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { AccessedWorkspace, type WorkspaceAccess } from '../workspace-access.js';
import {
  MintedWorkspaceApiKeyView,
  MintWorkspaceApiKeyBody,
  UpdateWorkspaceApiKeyBody,
  WorkspaceApiKeyListView,
  WorkspaceApiKeyView,
} from './api-key.dto.js';
import { ManagedWorkspaceApiKeys } from './managed-workspace-api-keys.service.js';

const ADMINISTER = { workspace: 'administer' } as const;

@ApiTags('Workspaces')
@ApiParam({ name: 'workspaceId', description: 'Id of the workspace, or `slug:` followed by its slug.' })
@AdmittedWrites()
@Controller('v2/workspaces/:workspaceId/security/apikeys')
export class WorkspaceApiKeysController {
  constructor(private readonly keys: ManagedWorkspaceApiKeys) {}

  @Get()
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'List the API keys of a workspace, without the keys themselves' })
  @ApiOkResponse({ type: WorkspaceApiKeyListView })
  listWorkspaceApiKeys(@AccessedWorkspace() access: WorkspaceAccess, @Query() page: PageQuery) {
    return this.keys.list(access, page);
  }

  @Post()
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'Mint an API key of a workspace (it is shown only once)' })
  @ApiCreatedResponse({ type: MintedWorkspaceApiKeyView })
  mintWorkspaceApiKey(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Body() body: MintWorkspaceApiKeyBody,
  ) {
    return this.keys.mint(call, access, body);
  }

  @Put(':id')
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'Update the name or the rules of an API key of a workspace' })
  @ApiOkResponse({ type: WorkspaceApiKeyView })
  updateWorkspaceApiKey(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Param('id') id: string,
    @Body() body: UpdateWorkspaceApiKeyBody,
  ) {
    return this.keys.update(call, access, id, body);
  }

  @Delete(':id')
  @Requires(ADMINISTER)
  @ApiOperation({ summary: 'Revoke an API key of a workspace' })
  @ApiOkResponse({ type: DoneView })
  revokeWorkspaceApiKey(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Param('id') id: string,
  ) {
    return this.keys.revoke(call, access, id);
  }
}
