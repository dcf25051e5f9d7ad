import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accessed, CollectionParam } from '../collections/accessed.decorator.js';
import type { Access } from '../collections/collection-access.js';
import { Present } from '../http/client-presence.js';
import { RecordsBody } from '../http/records-body.decorator.js';
import { Requires } from '../http/requires.decorator.js';
import type { Presence } from '../kernel/presence.js';
import {
  AggregateRecordsBody,
  AggregateView,
  CountRecordsQuery,
  CountView,
  DistinctValuesQuery,
  DistinctView,
} from './analytics.dto.js';
import { Analytics } from './analytics.service.js';

@ApiTags('Analytics')
@CollectionParam()
@RecordsBody()
@Controller('v1/collections/:collection_id/data')
export class AnalyticsController {
  constructor(private readonly analytics: Analytics) {}

  @Get('count')
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'Count the records that a filter matches, exactly' })
  @ApiOkResponse({ type: CountView })
  countRecords(@Accessed() access: Access, @Query() query: CountRecordsQuery, @Present() caller: Presence) {
    return this.analytics.count(access, query, { caller });
  }

  @Get('distinct')
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'List the distinct values of a field' })
  @ApiOkResponse({ type: DistinctView })
  distinctValues(
    @Accessed() access: Access,
    @Query() query: DistinctValuesQuery,
    @Present() caller: Presence,
  ) {
    return this.analytics.distinct(access, query, { caller });
  }

  @Post('aggregate')
  @HttpCode(200)
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'Aggregate records: sum, average, count, minimum and maximum by group' })
  @ApiOkResponse({ type: AggregateView })
  aggregateRecords(
    @Accessed() access: Access,
    @Body() body: AggregateRecordsBody,
    @Present() caller: Presence,
  ) {
    return this.analytics.aggregate(access, body, { caller });
  }
}
