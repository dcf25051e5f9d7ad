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
import { UndoneView, UndoWritesBody } from './undo.dto.js';
import { UndoWrites } from './undo-writes.service.js';

@ApiTags('History')
@CollectionParam()
@Controller('v1/collections/:collection_id/undo')
export class UndoController {
  constructor(private readonly undoing: UndoWrites) {}

  @Post()
  @Retryable()
  @Limited('bulk')
  @HttpCode(200)
  @Requires({ collection: 'write', versionCheck: true })
  @ApiOperation({
    summary: 'Undo writes: put back what they replaced, and delete what they inserted',
    description:
      'All writes that the request names are undone in one transaction with one audit event, which can be undone in turn. ' +
      'Up to 100,000 records. Writes of others need the role admin, and a dry run `collections:read` too.',
  })
  @ApiOkResponse({ type: UndoneView })
  @Refuses(
    409,
    '`UndoConflict`: `details` has `{record_id, reason, event_id}` of the records that were written since. Nothing was written.',
  )
  undoWrites(@Calling() call: Call, @Accessed() access: Access, @Body() body: UndoWritesBody) {
    return this.undoing.undo(call, access, body);
  }
}
