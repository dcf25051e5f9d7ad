import { applyDecorators, Controller, Get, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
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
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { ErrorView, Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ChangeListView, ListChangesBody, ListChangesQuery } from './changes.dto.js';
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
      'Returns each change once; the changes of one record are in the order in which they were made. With ' +
      '`Accept: text/event-stream` the response is a stream of Server-Sent Events: a `change` event has a change as data and its ' +
      'position as id; the last event, `end`, has the error that ended the stream, or is `reset` when the rules of the ' +
      'caller have changed: read the collection again. The first read starts the feed of the ' +
      'collection, which does not contain earlier changes.',
  })
  @AnswersChanges()
  listChanges(
    @Accessed() access: Access,
    @Query() query: ListChangesQuery,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(access, query, request, response);
  }

  @Post()
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'List or follow changes, with the filter in a JSON body: for filters too long for an address',
    description: 'The body may have 64 KiB: a stream keeps its filter in memory for as long as it is open.',
  })
  @AnswersChanges()
  listChangesByBody(
    @Accessed() access: Access,
    @Body() body: ListChangesBody,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer(access, body, request, response);
  }

  private async answer(
    access: Access,
    query: ListChangesQuery,
    request: PlatformRequest,
    response: Response,
  ): Promise<void> {
    response.vary('Accept');
    const wantsStream = request.method !== 'HEAD' && request.accepts(['json', EVENT_STREAM]) === EVENT_STREAM;
    if (wantsStream) {
      const since = request.get('last-event-id') || query.since;
      await this.changes.stream(access, { ...query, since }, request, response);
    } else {
      this.adapterHost.httpAdapter.reply(response, await this.changes.list(access, query), HttpStatus.OK);
    }
  }
}

/** Documents the header of streams, and the answers of both forms. */
function AnswersChanges(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Sent by clients that reconnect to a stream. Used instead of `since`.',
    }),
    ApiOkResponse({
      description: 'A list of changes, or a stream of changes.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ChangeListView) } },
        [EVENT_STREAM]: { schema: { type: 'string' } },
      },
    }),
    ApiResponse({
      status: 410,
      description:
        'The changes after this position are no longer stored, or the rules of the caller have changed since. Read the collection again.',
      type: ErrorView,
    }),
  );
}
