import { Controller, Get, Headers, HttpStatus, Query, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Accessed, CollectionParam } from '../collections/accessed.decorator.js';
import type { Access } from '../collections/collection-access.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { ErrorView, Requires } from '../http/requires.decorator.js';
import { ChangeListView, ListChangesQuery } from './changes.dto.js';
import { Changes } from './changes.service.js';

const EVENT_STREAM = 'text/event-stream';

@ApiTags('Changes')
@CollectionParam()
@ApiExtraModels(ChangeListView)
@Controller('v1/collections/:collection_id/changes')
export class ChangesController {
  constructor(
    private readonly changes: Changes,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Get()
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'List changes of the records of a collection, or follow them as a stream',
    description:
      'Each change once, in the order in which they were made to a record. With `Accept: text/event-stream` a stream of ' +
      'Server-Sent Events: `change` with a change as data and its position as id, at last `end` with the error that ended it. ' +
      'The first to ask begins the feed: what happened before is not in it.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Of a stream that goes on: counts instead of `since`.',
  })
  @ApiOkResponse({
    description: 'Changes, or a stream of them.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChangeListView) } },
      [EVENT_STREAM]: { schema: { type: 'string' } },
    },
  })
  @ApiResponse({
    status: 410,
    description: 'The changes behind this position are no longer kept.',
    type: ErrorView,
  })
  async listChanges(
    @Accessed() access: Access,
    @Query() query: ListChangesQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ): Promise<void> {
    response.vary('Accept');
    const wantsStream = request.method === 'GET' && request.accepts(['json', EVENT_STREAM]) === EVENT_STREAM;
    if (wantsStream) {
      const from = { ...query, since: lastEventId || query.since };
      await this.changes.stream(access, from, request, response);
    } else {
      this.adapterHost.httpAdapter.reply(response, await this.changes.list(access, query), HttpStatus.OK);
    }
  }
}
