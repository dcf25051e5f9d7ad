import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ViewedAccess } from '../collections/viewed-access.service.js';
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

const AGGREGATIONS = {
  values: {
    summary: 'By the values of a field',
    value: { group_by: 'city', steps: [{ type: 'avg', input_field: 'age', output_field: 'average_age' }] },
  },
  months: {
    summary: 'By month, with the months without records',
    value: {
      group_by: { field: 'created_at', every: 'month', zone: 'Europe/Paris', as: 'month' },
      fill: true,
      steps: [
        { type: 'count', output_field: 'orders' },
        { type: 'sum', input_field: 'total', output_field: 'paid', filter: { paid: true } },
      ],
    },
  },
  ranges: {
    summary: 'By ranges of a number',
    value: {
      group_by: { field: 'age', step: 10, as: 'decade' },
      steps: [
        { type: 'percentile', at: 0.9, input_field: 'income', output_field: 'p90' },
        { type: 'last', input_field: 'city', sort: { created_at: 1 }, output_field: 'latest_city' },
      ],
    },
  },
};

@ApiTags('Analytics')
@CollectionParam()
@RecordsBody()
@Controller('v1/collections/:collection_id/data')
export class AnalyticsController {
  constructor(
    private readonly analytics: Analytics,
    private readonly viewed: ViewedAccess,
  ) {}

  @Get('count')
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Count the records that a filter matches, exactly' })
  @ApiOkResponse({ type: CountView })
  async countRecords(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Query() query: CountRecordsQuery,
  ) {
    return this.analytics.count(await this.viewed.as(call, access, query), query);
  }

  @Post('count')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'Count records, with the filter in a JSON body: for filters too long for an address',
  })
  @ApiOkResponse({ type: CountView })
  async countRecordsByBody(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Body() body: CountRecordsBody,
  ) {
    return this.analytics.count(await this.viewed.as(call, access, body), body);
  }

  @Get('distinct')
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'List the distinct values of a field' })
  @ApiOkResponse({ type: DistinctView })
  async distinctValues(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Query() query: DistinctValuesQuery,
  ) {
    return this.analytics.distinct(await this.viewed.as(call, access, query), query);
  }

  @Post('distinct')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'List the distinct values of a field, with the filter in a JSON body' })
  @ApiOkResponse({ type: DistinctView })
  async distinctValuesByBody(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Body() body: DistinctValuesBody,
  ) {
    return this.analytics.distinct(await this.viewed.as(call, access, body), body);
  }

  @Post('aggregate')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'Aggregate records: counts, sums, averages, extremes and percentiles by group',
    description:
      'Groups can be values of fields, periods of dates in a time zone, and ranges of numbers. Values that are not dates or not numbers count as null there.',
  })
  @ApiBody({ type: AggregateRecordsBody, examples: AGGREGATIONS })
  @ApiOkResponse({ type: AggregateView })
  async aggregateRecords(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Body() body: AggregateRecordsBody,
  ) {
    return this.analytics.aggregate(await this.viewed.as(call, access, body), body);
  }
}
