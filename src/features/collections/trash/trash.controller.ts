import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { Accessed, CollectionParam } from '../collection.step.js';
import type { Access } from '../collection-access.js';
import { CollectionView } from '../collection-view.js';
import { RestoreCollectionBody, TrashListView } from './trash.dto.js';
import { Trash } from './trash.service.js';

@ApiTags('Collections')
@AdmittedWrites()
@Controller('v1/trash/collections')
export class TrashController {
  constructor(private readonly trash: Trash) {}

  @Get()
  @Requires({ product: 'collections:delete' })
  @ApiOperation({
    summary:
      'List the deleted collections of the active organization that you can restore, last deleted first',
  })
  @ApiOkResponse({ type: TrashListView })
  listTrash(@Calling() call: Call, @CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.trash.list(call, membership, page);
  }

  @Post(':collection_id/restore')
  @HttpCode(200)
  @Requires({ collection: 'delete', trash: 'only' })
  @ApiOperation({
    summary: 'Restore a deleted collection with its records, indexes and bindings; keys stay revoked',
  })
  @CollectionParam()
  @Refuses(409, 'The name is in use, or several deleted collections have the name in the path.')
  @ApiOkResponse({ type: CollectionView })
  restoreCollection(@Calling() call: Call, @Accessed() access: Access, @Body() body: RestoreCollectionBody) {
    return this.trash.restore(call, access, body);
  }
}
