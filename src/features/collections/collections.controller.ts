import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../base/kernel/call.js';
import type { Membership } from '../../base/kernel/principal.js';
import { AuditPageView, ListCollectionAuditQuery } from '../../platform/audit/audit.dto.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { Guarded, Precondition, type TagCondition, Tagged } from '../../platform/http/entity-tags.js';
import { CallerMembership, Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import { Accessed, CollectionParam } from './collection.step.js';
import type { Access } from './collection-access.js';
import { CollectionListView, CollectionView, ColumnView, CreatedCollectionView } from './collection-view.js';
import { CreateCollectionBody, ListCollectionsQuery, UpdateCollectionBody } from './collections.dto.js';
import { Collections } from './collections.service.js';
import { IndexBuilds } from './schema/index-builds.service.js';
import { OnlineChanges } from './schema/online-changes.service.js';
import {
  AbandonedChangeView,
  AppliedIndexesView,
  ApplyIndexesBody,
  SchemaView,
  UpdateSchemaBody,
} from './schema/schema.dto.js';
import { SchemaChanges } from './schema/schema-changes.service.js';
import { DeleteCollectionQuery, DeletedCollectionView } from './trash/trash.dto.js';
import { Trash } from './trash/trash.service.js';

@ApiTags('Collections')
@ApiExtraModels(ColumnView)
@AdmittedWrites()
@Controller('v1/collections')
export class CollectionsController {
  constructor(
    private readonly collections: Collections,
    private readonly trash: Trash,
  ) {}

  @Get()
  @Requires({ product: 'collections:read' })
  @ApiOperation({ summary: 'List collections of the active organization' })
  @ApiOkResponse({ type: CollectionListView })
  listCollections(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Query() query: ListCollectionsQuery,
  ) {
    return this.collections.list(call, membership, query);
  }

  @Post()
  @HttpCode(200)
  @Retryable()
  @Requires({ product: 'collections:create', everyCollection: true })
  @ApiOperation({ summary: 'Create a collection' })
  @ApiOkResponse({ type: CreatedCollectionView })
  createCollection(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateCollectionBody,
  ) {
    return this.collections.create(call, membership, body);
  }

  @Get(':collection_id')
  @Tagged()
  @Requires({ collection: 'read', metadata: true })
  @ApiOperation({ summary: 'Read a collection: metadata and schema' })
  @CollectionParam()
  @ApiOkResponse({ type: CollectionView })
  getCollection(@Accessed() access: Access) {
    return this.collections.get(access);
  }

  @Patch(':collection_id')
  @Retryable()
  @Guarded()
  @Requires({ collection: 'manage' })
  @ApiOperation({ summary: 'Update the name, description, settings or agents of a collection' })
  @CollectionParam()
  @ApiOkResponse({ type: CollectionView })
  updateCollection(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Body() body: UpdateCollectionBody,
    @Precondition() condition: TagCondition | undefined,
  ) {
    return this.collections.update(call, access, body, condition);
  }

  @Delete(':collection_id')
  @Guarded()
  @Requires({ collection: 'delete', trash: 'ifPermanent' })
  @ApiOperation({
    summary: 'Delete a collection: it can be restored for some days, unless it is deleted permanently',
  })
  @CollectionParam()
  @ApiOkResponse({ type: DeletedCollectionView })
  deleteCollection(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Query() query: DeleteCollectionQuery,
    @Precondition() condition: TagCondition | undefined,
  ) {
    return this.trash.delete(call, access, query, condition);
  }
}

@ApiTags('Collections')
@CollectionParam()
@Controller('v1/collections/:collection_id/audit')
export class CollectionAuditController {
  constructor(private readonly trail: AuditTrail) {}

  @Get()
  @Requires({ collection: 'audit' })
  @ApiOperation({ summary: 'List the audit events of a collection and its records, newest first' })
  @ApiOkResponse({ type: AuditPageView })
  listAuditEvents(@Accessed() { collection, membership }: Access, @Query() query: ListCollectionAuditQuery) {
    return this.trail.ofCollection(collection, membership.orgSlug, query);
  }
}

@ApiTags('Schema')
@CollectionParam()
@Controller('v1/collections/:collection_id')
export class SchemaController {
  constructor(
    private readonly changes: SchemaChanges,
    private readonly online: OnlineChanges,
    private readonly builds: IndexBuilds,
  ) {}

  @Patch('schema')
  @Retryable()
  @Requires({ collection: 'manage' })
  @ApiOperation({ summary: 'Update the schema: add columns, change their types or whether they may be null' })
  @ApiOkResponse({ type: SchemaView })
  @ApiAcceptedResponse({
    type: SchemaView,
    description:
      'The collection is large, and the change goes on after this answer. Its state is in `change` of the collection.',
  })
  async updateSchema(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Body() body: UpdateSchemaBody,
    @Res({ passthrough: true }) response: Response,
  ) {
    const view = await this.changes.apply(call, access, body);
    if (view.status === 'building') response.status(202);
    return view;
  }

  @Delete('schema/change')
  @Requires({ collection: 'manage' })
  @ApiOperation({ summary: 'Abandon the running change of the schema' })
  @ApiOkResponse({ type: AbandonedChangeView })
  abandonSchemaChange(@Calling() call: Call, @Accessed() access: Access) {
    return this.online.abandon(call, access);
  }

  @Post('indexes')
  @HttpCode(200)
  @Retryable()
  @Requires({ collection: 'manage' })
  @ApiOperation({ summary: 'Build the indexes and unique constraints of a collection' })
  @ApiOkResponse({ type: AppliedIndexesView })
  applyIndexes(@Calling() call: Call, @Accessed() access: Access, @Body() body: ApplyIndexesBody) {
    return this.builds.apply(call, access, body);
  }
}
