import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Accessed } from '../collections/accessed.decorator.js';
import type { Access } from '../collections/collection-access.js';
import { Calling } from '../http/call.decorator.js';
import { Requires } from '../http/requires.decorator.js';
import type { Call } from '../kernel/call.js';
import { RecordReader } from './record-reader.service.js';
import { RecordWriter } from './record-writer.service.js';
import {
  BulkInsertedView,
  BulkInsertRecordsBody,
  DeletedRecordView,
  FoundRecordView,
  InsertedView,
  InsertRecordsBody,
  QueryRecordsQuery,
  RecordPageView,
  SearchRecordsBody,
  UpdatedView,
} from './records.dto.js';

@ApiTags('Records')
@ApiParam({ name: 'collection_id', format: 'uuid' })
@Controller('v1/collections/:collection_id/data')
export class RecordsController {
  constructor(
    private readonly reader: RecordReader,
    private readonly writer: RecordWriter,
  ) {}

  @Get()
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'Query records: filter, sort and fields as JSON text' })
  @ApiOkResponse({ type: RecordPageView })
  queryRecords(@Accessed() access: Access, @Query() query: QueryRecordsQuery) {
    return this.reader.query(access, query);
  }

  @Post('query')
  @HttpCode(200)
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'Query records: the same as a JSON body' })
  @ApiOkResponse({ type: RecordPageView })
  searchRecords(@Accessed() access: Access, @Body() body: SearchRecordsBody) {
    return this.reader.query(access, body);
  }

  @Post('bulk')
  @HttpCode(201)
  @Requires({ collection: 'write', fenced: true })
  @ApiOperation({ summary: 'Insert or upsert up to 5,000 records, all or nothing' })
  @ApiCreatedResponse({ type: BulkInsertedView })
  bulkInsertRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: BulkInsertRecordsBody) {
    return this.writer.bulkInsert(call, access, body);
  }

  @Post()
  @HttpCode(200)
  @Requires({ collection: 'write', fenced: true })
  @ApiOperation({ summary: 'Insert one record, or up to 1,000' })
  @ApiOkResponse({ type: InsertedView })
  insertRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: InsertRecordsBody) {
    return this.writer.insert(call, access, body);
  }

  @Get(':record_id')
  @Requires({ collection: 'read', fenced: true })
  @ApiOperation({ summary: 'Read one record' })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiOkResponse({ type: FoundRecordView })
  getRecord(@Accessed() access: Access, @Param('record_id') recordId: string) {
    return this.reader.get(access, recordId);
  }

  @Patch(':record_id')
  @Requires({ collection: 'write', fenced: true })
  @ApiOperation({ summary: 'Change fields of one record' })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: { age: 37 } } })
  @ApiOkResponse({ type: UpdatedView })
  updateRecord(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('record_id') recordId: string,
    @Body() body: unknown,
  ) {
    return this.writer.update(call, access, recordId, body);
  }

  @Delete(':record_id')
  @Requires({ collection: 'write', fenced: true })
  @ApiOperation({ summary: 'Delete one record' })
  @ApiParam({ name: 'record_id', format: 'uuid' })
  @ApiOkResponse({ type: DeletedRecordView })
  deleteRecord(@Calling() call: Call, @Accessed() access: Access, @Param('record_id') recordId: string) {
    return this.writer.delete(call, access, recordId);
  }
}
