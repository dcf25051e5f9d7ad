import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { RestoredRecordsView, RestoreRecordsBody } from './restore.dto.js';
import { RestoreRecords } from './restore-records.service.js';

@ApiTags('History')
@CollectionParam()
@Controller('v1/collections/:collection_id/restore')
export class RestoreController {
  constructor(private readonly restoring: RestoreRecords) {}

  @Post()
  @Retryable()
  @Limited('bulk')
  @HttpCode(200)
  @Requires({ collection: 'manage', versionCheck: true })
  @ApiOperation({
    summary: 'Make records what they were at an instant',
    description:
      'Records that match the filter now or matched it at `as_of` get the values that they had then, are reinserted, or are deleted, in one transaction with one audit event. ' +
      'Up to 100,000 records. A restore can be undone.',
  })
  @ApiOkResponse({ type: RestoredRecordsView })
  @Refuses(
    409,
    '`AlreadyExists`: other records have earlier unique values now; `details` has the first 1,000 as `{record_id}`. Nothing was written.',
  )
  restoreRecords(@Calling() call: Call, @Accessed() access: Access, @Body() body: RestoreRecordsBody) {
    return this.restoring.restore(call, access, body);
  }
}
