import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { AdviceView } from './advice.dto.js';
import { IndexAdvice } from './index-advice.service.js';

@ApiTags('Analytics')
@CollectionParam()
@Controller('v1/collections/:collection_id/advice')
export class AdviceController {
  constructor(private readonly advice: IndexAdvice) {}

  @Get()
  @Requires({ collection: 'manage' })
  @ApiOperation({
    summary: 'List the indexes that a collection lacks, and those that nothing uses',
    description:
      'Shows which indexes the queries, counts and aggregations of the last 7 days would have used. ' +
      'A query appears within two minutes. No values of queries are stored.',
  })
  @ApiOkResponse({ type: AdviceView })
  listAdvice(@Accessed() access: Access): Promise<AdviceView> {
    return this.advice.list(access);
  }
}
