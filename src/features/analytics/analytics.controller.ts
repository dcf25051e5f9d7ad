import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import {
  AggregateRecordsBody,
  AggregateView,
  CountRecordsBody,
  CountRecordsQuery,
  CountView,
  DistinctValuesBody,
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
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Count the records that a filter matches, exactly' })
  @ApiOkResponse({ type: CountView })
  countRecords(@AccessedToRead() access: Access, @Query() query: CountRecordsQuery) {
    return this.analytics.count(access, query);
  }

  @Post('count')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'Count records, with the filter in a JSON body: for filters too long for an address',
  })
  @ApiOkResponse({ type: CountView })
  countRecordsByBody(@AccessedToRead() access: Access, @Body() body: CountRecordsBody) {
    return this.analytics.count(access, body);
  }

  @Get('distinct')
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'List the distinct values of a field' })
  @ApiOkResponse({ type: DistinctView })
  distinctValues(@AccessedToRead() access: Access, @Query() query: DistinctValuesQuery) {
    return this.analytics.distinct(access, query);
  }

  @Post('distinct')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'List the distinct values of a field, with the filter in a JSON body' })
  @ApiOkResponse({ type: DistinctView })
  distinctValuesByBody(@AccessedToRead() access: Access, @Body() body: DistinctValuesBody) {
    return this.analytics.distinct(access, body);
  }

  @Post('aggregate')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Aggregate records: sum, average, count, minimum and maximum by group' })
  @ApiOkResponse({ type: AggregateView })
  aggregateRecords(@AccessedToRead() access: Access, @Body() body: AggregateRecordsBody) {
    return this.analytics.aggregate(access, body);
  }
}
