import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { Guarded, Precondition, type TagCondition } from '../../platform/http/entity-tags.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Query } from '../../platform/http/validated.decorators.js';
import { Accessed, AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ViewedAccess } from '../collections/viewed-access.service.js';
import { DeleteRecords } from '../records/delete-records.service.js';
import { DeleteRecordQuery, ErasedRecordView, RecordHistoryQuery, RecordHistoryView } from './history.dto.js';
import { RecordErasure } from './record-erasure.service.js';
import { RecordHistory } from './record-history.service.js';

@ApiTags('History')
@CollectionParam()
@Controller('v1/collections/:collection_id/data')
export class HistoryController {
  constructor(
    private readonly history: RecordHistory,
    private readonly viewed: ViewedAccess,
  ) {}

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
  async getRecordHistory(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Param('record_id') recordId: string,
    @Query() query: RecordHistoryQuery,
  ) {
    return this.history.list(await this.viewed.as(call, access, query), recordId, query);
  }
}

/** One route deletes a record, and erases what is kept of it. */
@ApiTags('Records')
@CollectionParam()
@Controller('v1/collections/:collection_id/data')
export class DeleteRecordController {
  constructor(
    private readonly remover: DeleteRecords,
    private readonly erasure: RecordErasure,
  ) {}

  @Delete(':record_id')
  @Guarded()
  @Requires({ collection: 'write', ifErasing: 'manage', versionCheck: true })
  @ApiOperation({
    summary: 'Delete one record, or erase it with its history',
    description:
      'With `erase=true`, which needs the role admin, nothing of the record is kept but its id in the audit log: its history, its changes in the feed and its ' +
      'content in messages of webhooks are gone too. A record that has been deleted before can still be erased.',
  })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiOkResponse({ type: ErasedRecordView })
  deleteRecord(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('record_id') recordId: string,
    @Query() { erase }: DeleteRecordQuery,
    @Precondition() tag: TagCondition | undefined,
  ) {
    if (erase) return this.erasure.erase(call, access, { recordId, tag });
    return this.remover.delete(call, access, recordId, tag);
  }
}
