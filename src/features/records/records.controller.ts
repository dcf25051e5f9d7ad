import { Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { Guarded, Precondition, type TagCondition, Tagged } from '../../platform/http/entity-tags.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ViewedAccess } from '../collections/viewed-access.service.js';
import { BatchRecordsBody, BatchView } from './batch/batch.dto.js';
import { BatchRecords } from './batch/batch-records.service.js';
import { DeleteRecords } from './delete-records.service.js';
import { InsertRecords } from './insert-records.service.js';
import {
  FoundRecordView,
  GetRecordQuery,
  QueryRecordsQuery,
  RecordPageView,
  SearchRecordsBody,
} from './query/query-records.dto.js';
import { QueryRecords } from './query/query-records.service.js';
import {
  BulkInsertedView,
  BulkInsertRecordsBody,
  DeletedRecordsView,
  DeleteRecordsBody,
  InsertedView,
  InsertRecordsBody,
  UpdatedRecordsView,
  UpdatedView,
  UpdateRecordsBody,
  UpsertedView,
  UpsertRecordBody,
} from './records.dto.js';
import { UpdateRecords } from './update-records.service.js';
import { UpsertRecords } from './upsert-records.service.js';

const SEARCHES = 'Needs `collections:read` too, because the response tells what records contain.';

/** Reads come first, because they are called most and Express tries the routes in this order. */
@ApiTags('Records')
@CollectionParam()
@RecordsBody()
@Controller('v1/collections/:collection_id/data')
export class RecordsController {
  constructor(
    private readonly queries: QueryRecords,
    private readonly inserts: InsertRecords,
    private readonly updates: UpdateRecords,
    private readonly upserts: UpsertRecords,
    private readonly deletes: DeleteRecords,
    private readonly batches: BatchRecords,
    private readonly viewed: ViewedAccess,
  ) {}

  @Get()
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Query records with filter, sort and fields in the query string' })
  @ApiOkResponse({ type: RecordPageView })
  async queryRecords(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Query() query: QueryRecordsQuery,
  ) {
    return this.queries.query(await this.viewed.as(call, access, query), query);
  }

  @Post('query')
  @HttpCode(200)
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Query records with filter, sort and fields in a JSON body' })
  @ApiOkResponse({ type: RecordPageView })
  async searchRecords(
    @Calling() call: Call,
    @AccessedToRead() access: Access,
    @Body() body: SearchRecordsBody,
  ) {
    return this.queries.query(await this.viewed.as(call, access, body), body);
  }

  @Get(':record_id')
  @Tagged()
  @Requires({ collection: 'read', versionCheck: true })
  @ApiOperation({ summary: 'Read one record by its id' })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiOkResponse({ type: FoundRecordView })
  async getRecord(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('record_id') recordId: string,
    @Query() query: GetRecordQuery,
  ) {
    return this.queries.get(await this.viewed.as(call, access, query), recordId, query);
  }

  @Post('bulk')
  @Retryable()
  @Limited('bulk')
  @HttpCode(201)
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({ summary: 'Insert or upsert up to 5,000 records at once, all or nothing' })
  @ApiCreatedResponse({ type: BulkInsertedView })
  bulkInsertRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: BulkInsertRecordsBody) {
    return this.inserts.bulkInsert(call, access, body);
  }

  @Post('batch')
  @Retryable()
  @Limited('write')
  @HttpCode(200)
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({
    summary: 'Insert, update and delete up to 1,000 records at once, all or nothing',
    description:
      'The batch is one transaction with one audit event. Unique values count after the batch: a record may take a value that another operation gives up. ' +
      'With `if_match` an operation applies only to the version that you have read. `if_match` and `dry_run` need `collections:read` too.',
  })
  @ApiOkResponse({ type: BatchView })
  @Refuses(
    409,
    '`BatchConflict`: `details` has `{index, _id, reason}` of every operation whose record has `changed` since or is `gone`. Nothing was written.',
  )
  batchRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: BatchRecordsBody) {
    return this.batches.write(call, access, body);
  }

  @Post()
  @Retryable()
  @Limited('write')
  @HttpCode(200)
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({ summary: 'Insert one record, or up to 1,000 at once' })
  @ApiOkResponse({ type: InsertedView })
  insertRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: InsertRecordsBody) {
    return this.inserts.insert(call, access, body);
  }

  @Post('upsert')
  @Retryable()
  @Limited('write')
  @HttpCode(200)
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({
    summary: 'Update the record that has these key values, or insert it',
    description: SEARCHES,
  })
  @ApiOkResponse({ type: UpsertedView })
  upsertRecord(@Calling() call: Call, @Accessed() access: Access, @Body() body: UpsertRecordBody) {
    return this.upserts.upsert(call, access, body);
  }

  @Post('delete')
  @Retryable()
  @HttpCode(200)
  @Requires({ collection: 'write', versionCheck: true, setting: 'ALLOW_BULK_DELETE' })
  @ApiOperation({
    summary: 'Delete all records that a filter matches (off unless ALLOW_BULK_DELETE=true)',
    description: SEARCHES,
  })
  @ApiOkResponse({ type: DeletedRecordsView })
  deleteRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: DeleteRecordsBody) {
    return this.deletes.deleteMany(call, access, body);
  }

  @Patch()
  @Retryable()
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({ summary: 'Update all records that a filter matches', description: SEARCHES })
  @ApiOkResponse({ type: UpdatedRecordsView })
  updateRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: UpdateRecordsBody) {
    return this.updates.updateMany(call, access, body);
  }

  @Patch(':record_id')
  @Retryable()
  @Guarded()
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({ summary: 'Update one record with new values or update operators' })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiBody({
    schema: {
      type: 'object',
      additionalProperties: true,
      example: { $set: { age: 37 }, $push: { tags: 'math' } },
    },
  })
  @ApiOkResponse({ type: UpdatedView })
  updateRecord(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('record_id') recordId: string,
    @Body() body: unknown,
    @Precondition() tag: TagCondition | undefined,
  ) {
    return this.updates.update(call, access, recordId, body, tag);
  }
}
