import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../base/kernel/call.js';
import { invalid } from '../../base/kernel/errors.js';
import { Settings } from '../../platform/config/settings.js';
import { RecordsBody, StreamedBody } from '../../platform/http/body/body.decorators.js';
import { Calling, type PlatformRequest } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { Exports, formatFor, sendFile } from './exports.service.js';
import { IMPORT_TYPES } from './import/file-decoder.js';
import { ImportAnswer } from './import/import-answer.js';
import { Imports } from './import/imports.service.js';
import {
  ExportRecordsBody,
  ExportRecordsQuery,
  ImportRecordsQuery,
  ImportSummaryView,
} from './transfer.dto.js';

const TEXT = { schema: { type: 'string' as const } };
const RECORDS = { schema: { type: 'array' as const, items: { type: 'object' as const } } };
const THE_FILE = {
  description: 'The file.',
  content: { 'text/csv': TEXT, 'application/x-ndjson': TEXT, 'application/json': RECORDS },
};

@ApiTags('Records')
@CollectionParam()
@ApiExtraModels(ImportSummaryView)
@Controller('v1/collections/:collection_id')
export class TransferController {
  constructor(
    private readonly imports: Imports,
    private readonly exports: Exports,
    private readonly settings: Settings,
  ) {}

  @Post('import')
  @Retryable()
  @Limited('bulk')
  @Requires({ collection: 'write' })
  @StreamedBody(...IMPORT_TYPES)
  @ApiOperation({
    summary: 'Import a file of records: CSV with a header, NDJSON (one JSON object per line) or a JSON array',
    description:
      'The file can have any size and can be compressed (`Content-Encoding: gzip`). CSV fields are separated by comma, semicolon, ' +
      'tab or `|`, as the header or a first line such as `sep=;` shows, and converted to the types of the columns; an empty field is null in a column and absent otherwise. `encoding`, `delimiter`, `decimal`, `dates` and `zone` say how a file writes its texts and values if it does so in another way. The response ' +
      'is NDJSON: lines of progress, then a summary with `done: true`. The status is 200 as soon as the first line is sent; the ' +
      'summary says whether the import succeeded.',
    requestBody: {
      required: true,
      content: {
        'text/csv': { ...TEXT, example: 'email,age\r\ngrace@example.com,42\r\n' },
        'text/tab-separated-values': TEXT,
        'application/x-ndjson': { ...TEXT, example: '{"email":"edsger@example.com","age":44}\n' },
        'application/jsonl': TEXT,
        'application/json': { ...RECORDS, example: [{ email: 'donald@example.com', age: 44 }] },
      },
    },
  })
  @ApiOkResponse({
    description: 'Lines of progress, then the summary.',
    content: { 'application/x-ndjson': { schema: { $ref: getSchemaPath(ImportSummaryView) } } },
  })
  importRecords(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Query() query: ImportRecordsQuery,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ) {
    return this.imports.run(call, access, query, request, new ImportAnswer(response));
  }

  @Get('export')
  @Requires({ collection: 'read' })
  @ApiOperation({
    summary: 'Export records as a file: CSV, NDJSON (one JSON object per line) or a JSON array',
    description:
      'The file is a consistent snapshot of all matching records. CSV has a header; empty text is `""`, null and absent values ' +
      'are empty fields. Spreadsheets may run text that begins with `=` as a formula: `safe=true` prevents it.',
  })
  @ApiOkResponse(THE_FILE)
  exportRecords(
    @AccessedToRead() access: Access,
    @Query() query: ExportRecordsQuery,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ) {
    return this.export(access, query, request, response);
  }

  @Post('export')
  @HttpCode(200)
  @RecordsBody()
  @Requires({ collection: 'read' })
  @ApiOperation({ summary: 'Export records as a file, with filter, sort and fields in a JSON body' })
  @ApiOkResponse(THE_FILE)
  exportRecordsByBody(
    @AccessedToRead() access: Access,
    @Body() body: ExportRecordsBody,
    @Req() request: PlatformRequest,
    @Res() response: Response,
  ) {
    return this.export(access, body, request, response);
  }

  private async export(
    access: Access,
    query: ExportRecordsQuery,
    request: PlatformRequest,
    response: Response,
  ): Promise<void> {
    const format = formatFor(request, query.format);
    if (query.safe && format !== 'csv') throw invalid('safe: is only allowed for CSV');
    const opened = await this.exports.open(access, format, query, request);
    await sendFile(request, response, { name: access.collection.name, format, opened }, this.settings);
  }
}
