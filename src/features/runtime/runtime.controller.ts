import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { AccessedWorkspace, type WorkspaceAccess } from '../workspaces/workspace-access.js';
import { CallWorkspaceBody, ContextView } from './runtime.dto.js';
import { WorkspaceCalls } from './workspace-calls.service.js';
import { WorkspaceContexts } from './workspace-contexts.service.js';

@ApiTags('Workspaces')
@ApiParam({ name: 'workspaceId', description: 'Id of the workspace, or `slug:` followed by its slug.' })
@Controller('v2/workspaces/:workspaceId')
export class RuntimeController {
  constructor(
    private readonly contexts: WorkspaceContexts,
    private readonly calls: WorkspaceCalls,
  ) {}

  @Get('context')
  @Requires({ workspace: 'see' })
  @ApiOperation({ summary: 'Read the variables that your automations in a workspace would see' })
  @ApiOkResponse({ type: ContextView })
  getWorkspaceContext(@Calling() call: Call, @AccessedWorkspace() access: WorkspaceAccess) {
    return this.contexts.of(call, access);
  }

  @Post('calls')
  @HttpCode(200)
  @Requires({ workspace: 'see' })
  @ApiOperation({ summary: 'Call another workspace on behalf of this one' })
  @ApiOkResponse({
    description: 'The response of the called operation.',
    schema: { type: 'object', additionalProperties: true },
  })
  callWorkspace(
    @Calling() call: Call,
    @AccessedWorkspace() access: WorkspaceAccess,
    @Body() body: CallWorkspaceBody,
  ) {
    return this.calls.make(call, access, body);
  }
}
