import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditPageView } from '../audit/audit-event.view.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { ListAuditEventsQuery } from '../audit/list-audit-events.query.js';
import { Requires } from '../http/requires.decorator.js';
import { Accessed, CollectionParam } from './accessed.decorator.js';
import type { Access } from './collection-access.js';

@ApiTags('Collections')
@CollectionParam()
@Controller('v1/collections/:collection_id/audit')
export class CollectionAuditController {
  constructor(private readonly trail: AuditTrail) {}

  @Get()
  @Requires({ collection: 'audit' })
  @ApiOperation({ summary: 'List the audit events of a collection and its records, newest first' })
  @ApiOkResponse({ type: AuditPageView })
  listAuditEvents(@Accessed() { collection, membership }: Access, @Query() query: ListAuditEventsQuery) {
    return this.trail.ofCollection(collection, membership.orgSlug, query);
  }
}
