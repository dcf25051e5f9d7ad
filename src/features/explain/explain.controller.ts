import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ExplainedQueryView, ExplainQueryBody } from './explain.dto.js';
import { ExplainQuery } from './explain-query.service.js';

@ApiTags('Analytics')
@CollectionParam()
@RecordsBody()
@Controller('v1/collections/:collection_id/data')
export class ExplainController {
  constructor(private readonly explainer: ExplainQuery) {}

  @Post('explain')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'Explain how a query or an aggregation is executed, and which index would help',
    description:
      'Executes the read with the rights and limits of the caller, measures it, and returns how it was executed instead of the records. ' +
      'The body is that of searchRecords, or `{"aggregate": …}` with the body of aggregateRecords.',
  })
  @ApiBody({
    type: ExplainQueryBody,
    examples: {
      query: { value: { filter: { age: { $gte: 18 } }, sort: { age: -1 }, limit: 20 } },
      aggregation: {
        value: { aggregate: { steps: [{ type: 'count', output_field: 'people' }], group_by: 'city' } },
      },
    },
  })
  @ApiOkResponse({ type: ExplainedQueryView })
  explainQuery(@AccessedToRead() access: Access, @Body() body: ExplainQueryBody) {
    return this.explainer.explain(access, body);
  }
}
