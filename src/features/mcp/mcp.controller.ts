import { Controller, type OnModuleDestroy, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Call } from '../../base/kernel/call.js';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { Calling, ClientPresence, type PlatformRequest } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { Accessed } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { IDENTITY, McpServers } from './mcp-servers.service.js';
import { DnsRebindingGuard } from './protocol/dns-rebinding.guard.js';
import { McpErrorFilter } from './protocol/mcp-error.filter.js';
import { McpTransport } from './protocol/transport.js';
import { Subscriptions } from './subscriptions.service.js';
import type { McpSession } from './tools/tool.js';
import { Tools } from './tools/tools.service.js';

const MESSAGE = {
  schema: { type: 'object', additionalProperties: true },
  examples: {
    list: { summary: 'What can be done', value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  },
} as const;

const ANSWER = {
  description: 'One JSON-RPC message, as JSON or as the only event of a stream.',
  schema: { type: 'object', additionalProperties: true },
} as const;

const TAKEN = { description: 'The message was a notification; the response has no body.' } as const;

/** The endpoints of the Model Context Protocol. Methods other than POST get 405. */
@ApiTags('MCP')
@UseGuards(DnsRebindingGuard)
@UseFilters(McpErrorFilter)
@RecordsBody()
@Controller('v1')
export class McpController implements OnModuleDestroy {
  private readonly transport: McpTransport<McpSession>;

  constructor(servers: McpServers, tools: Tools, subscriptions: Subscriptions) {
    this.transport = new McpTransport(
      (session, isModern) => servers.serverFor(session, isModern),
      (session, request, uris) => subscriptions.open(session, request as PlatformRequest, uris),
      { identity: IDENTITY, run: (session, tool, args) => tools.callOnRecords(session, tool, args) },
    );
  }

  @Post('mcp')
  @Limited('mcp')
  @Requires({ product: 'member' })
  @Refuses(406, 'The client must accept `application/json` or `text/event-stream`.')
  @ApiOperation({ summary: 'Send an MCP message (Streamable HTTP, JSON-RPC)' })
  @ApiBody(MESSAGE)
  @ApiOkResponse(ANSWER)
  @ApiAcceptedResponse(TAKEN)
  mcp(@Calling() call: Call, @Req() request: Request, @Res() response: Response, @Body() body: unknown) {
    return this.serve(call, undefined, request, response, body);
  }

  @Post('collections/:collection_id/mcp')
  @Limited('mcp')
  @Requires({ collection: 'read', idOnly: true })
  @Refuses(406, 'The client must accept `application/json` or `text/event-stream`.')
  @ApiOperation({ summary: 'Send an MCP message about one collection, whose tools need no collection_id' })
  @ApiParam({ name: 'collection_id', description: 'Id of the collection.', format: 'uuid' })
  @ApiBody(MESSAGE)
  @ApiOkResponse(ANSWER)
  @ApiAcceptedResponse(TAKEN)
  mcpOfCollection(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    return this.serve(call, access, request, response, body);
  }

  onModuleDestroy(): Promise<void> {
    return this.transport.close();
  }

  private serve(
    call: Call,
    access: Access | undefined,
    request: Request,
    response: Response,
    body: unknown,
  ): Promise<void> {
    return this.transport.serve(request, response, body, {
      call: { ...call, via: 'mcp' },
      access,
      caller: new ClientPresence(response),
    });
  }
}
