import { Controller, Delete, Get, Module, Param, Post, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { DeletedView } from '../collections/collection-view.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import { SavedViewBody, SavedViewListView, SavedViewView } from './view.dto.js';
import { SavedView } from './view.entity.js';
import { Views } from './views.service.js';

const FULL = 'There are already 100 views for all, or 100 of your own.';

@ApiTags('Collections')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/views')
class ViewsController {
  constructor(private readonly views: Views) {}

  @Get()
  @Requires({ collection: 'read', metadata: true })
  @ApiOperation({ summary: 'List the saved views of a collection: those for all and your own' })
  @ApiOkResponse({ type: SavedViewListView })
  listViews(@Accessed() access: Access) {
    return this.views.list(access);
  }

  @Post()
  @Retryable()
  @Requires({ collection: 'read' })
  @ApiOperation({ summary: 'Save a view of a collection, for yourself or for all' })
  @ApiCreatedResponse({ type: SavedViewView })
  @Refuses(409, FULL)
  createView(@Calling() call: Call, @Accessed() access: Access, @Body() body: SavedViewBody) {
    return this.views.create(call, access, body);
  }

  @Put(':view_id')
  @Requires({ collection: 'read' })
  @ApiOperation({ summary: 'Replace a saved view; absent properties get their defaults' })
  @ApiOkResponse({ type: SavedViewView })
  @Refuses(409, FULL)
  replaceView(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('view_id') id: string,
    @Body() body: SavedViewBody,
  ) {
    return this.views.replace(call, access, id, body);
  }

  @Delete(':view_id')
  @Requires({ collection: 'read', metadata: true })
  @ApiOperation({ summary: 'Delete a saved view' })
  @ApiOkResponse({ type: DeletedView })
  deleteView(@Calling() call: Call, @Accessed() access: Access, @Param('view_id') id: string) {
    return this.views.delete(call, access, id);
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([SavedView]), CollectionsModule],
  controllers: [ViewsController],
  providers: [Views],
})
export class ViewsModule {}
