import { Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  AgentListView,
  AgentView,
  CreateAgentBody,
  OrgAgents,
  UpdateAgentBody,
} from './org-agents.service.js';

const SEE = { org: 'member', seesPeople: true } as const;
const MANAGE = { org: 'orgs:agents:manage', seesPeople: true } as const;

@ApiTags('Agents')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/agents')
export class OrgAgentsController {
  constructor(private readonly agents: OrgAgents) {}

  @Get()
  @Requires(SEE)
  @ApiOperation({ summary: 'List the agents of the organization' })
  @ApiOkResponse({ type: AgentListView })
  listOrgAgents(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.agents.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Create an agent in the organization' })
  @ApiCreatedResponse({ type: AgentView })
  createOrgAgent(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateAgentBody,
  ) {
    return this.agents.create(call, membership, body);
  }

  @Patch(':id')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Rename an agent' })
  @ApiOkResponse({ type: AgentView })
  updateOrgAgent(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('id') id: string,
    @Body() body: UpdateAgentBody,
  ) {
    return this.agents.update(call, membership, id, body);
  }

  @Delete(':id')
  @Requires(MANAGE)
  @Refuses(409, 'The agent owns collections.')
  @ApiOperation({ summary: 'Delete an agent that owns no collection, and its keys' })
  @ApiOkResponse({ type: DoneView })
  deleteOrgAgent(@Calling() call: Call, @CallerMembership() membership: Membership, @Param('id') id: string) {
    return this.agents.delete(call, membership, id);
  }
}
