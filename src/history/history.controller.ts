import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { Requires } from '../http/requires.decorator.js';
import { RecordHistoryQuery, RecordHistoryView } from './history.dto.js';
import { RecordHistory } from './record-history.service.js';

@ApiTags('History')
@CollectionParam()
@Controller('v1/collections/:collection_id/data')
export class HistoryController {
  constructor(private readonly history: RecordHistory) {}

  @Get(':record_id/history')
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({
    summary: 'List the versions of a record, the newest first, also of a deleted one',
    description:
      'Each item is a version with the write that made it. What updates and deletes replace is kept for the `history_days` of the collection. ' +
      'A deletion is an item whose `record` is null.',
  })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiOkResponse({ type: RecordHistoryView })
  getRecordHistory(
    @AccessedToRead() access: Access,
    @Param('record_id') recordId: string,
    @Query() query: RecordHistoryQuery,
  ) {
    return this.history.list(access, recordId, query);
  }
}
