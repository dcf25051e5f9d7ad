import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../base/kernel/call.js';
import { PageQuery } from '../../platform/http/list-page.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { BOUND_TYPES } from '../collections/collection-binding.entity.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import {
  AccessBindingView,
  AccessExplanationView,
  AccessListView,
  ExplainAccessQuery,
  GrantAccessBody,
  RevokedAccessView,
  UpdateAccessBody,
} from './access.dto.js';
import { AccessBindings } from './access-bindings.service.js';
import { AccessExplanations } from './access-explanations.service.js';
import { ExplainInsertBody, RecordExplanationView } from './record-explanation.dto.js';
import { RecordExplanations } from './record-explanations.service.js';

const ONE = ':principal_type/:principal_id';
const PRINCIPAL_TYPE = { name: 'principal_type', enum: BOUND_TYPES };
const PRINCIPAL_ID = { name: 'principal_id', example: 'default:editors' };

@ApiTags('Sharing')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/access')
export class SharingController {
  constructor(
    private readonly bindings: AccessBindings,
    private readonly explanations: AccessExplanations,
    private readonly ofRecords: RecordExplanations,
  ) {}

  @Get()
  @Requires({ collection: 'share' })
  @ApiOperation({ summary: 'List who has access to a collection, its owner first' })
  @ApiOkResponse({ type: AccessListView })
  listAccess(@Accessed() access: Access, @Query() page: PageQuery) {
    return this.bindings.list(access, page);
  }

  @Post()
  @Retryable()
  @Requires({ collection: 'share' })
  @ApiOperation({
    summary: 'Share a collection with a user, a group, an agent or its organization',
  })
  @ApiCreatedResponse({ type: AccessBindingView })
  @ApiOkResponse({
    type: AccessBindingView,
    description: 'The principal had a binding before; it now has this role. Parts that are not named stay.',
  })
  async grantAccess(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Body() body: GrantAccessBody,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { binding, created } = await this.bindings.grant(call, access, body);
    response.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return binding;
  }

  @Get('explain')
  @Requires({ collection: 'share', ofRecord: 'read' })
  @ApiOperation({
    summary: 'Explain why a principal has access to a collection, or may do something with a record',
    description:
      'With `action` and `record_id`: which grants let the principal read, update or delete the record. Without a principal it is about the caller, ' +
      'who needs no right to share, and then gets neither rules nor conditions, and 404 for a record that it does not see.',
  })
  @ApiExtraModels(AccessExplanationView, RecordExplanationView)
  @ApiOkResponse({
    schema: {
      oneOf: [{ $ref: getSchemaPath(AccessExplanationView) }, { $ref: getSchemaPath(RecordExplanationView) }],
    },
  })
  explainAccess(@Calling() call: Call, @Accessed() access: Access, @Query() query: ExplainAccessQuery) {
    const { action, record_id: id, ...named } = query;
    if (action !== undefined) return this.ofRecords.explain(call, access, { ...named, action, id });
    return this.explanations.explain(access, query);
  }

  @Post('explain')
  @HttpCode(HttpStatus.OK)
  @Requires({ collection: 'read', metadata: true })
  @ApiOperation({
    summary: 'Explain whether a principal may insert a record',
    description:
      'Nothing is written. Without a principal it is about the caller, who needs no right to share.',
  })
  @ApiOkResponse({ type: RecordExplanationView })
  explainInsert(@Calling() call: Call, @Accessed() access: Access, @Body() body: ExplainInsertBody) {
    return this.ofRecords.explain(call, access, { ...body, action: 'create' });
  }

  @Get(ONE)
  @Requires({ collection: 'share' })
  @ApiOperation({ summary: 'Read one access binding of a collection' })
  @ApiParam(PRINCIPAL_TYPE)
  @ApiParam(PRINCIPAL_ID)
  @ApiOkResponse({ type: AccessBindingView })
  getAccessBinding(
    @Accessed() access: Access,
    @Param('principal_type') type: string,
    @Param('principal_id') id: string,
  ) {
    return this.bindings.get(access, { type, id });
  }

  @Patch(ONE)
  @Retryable()
  @Requires({ collection: 'share' })
  @ApiOperation({ summary: 'Update the role, rules, fields or limits of an access binding' })
  @ApiParam(PRINCIPAL_TYPE)
  @ApiParam(PRINCIPAL_ID)
  @ApiOkResponse({ type: AccessBindingView })
  updateAccessBinding(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('principal_type') type: string,
    @Param('principal_id') id: string,
    @Body() body: UpdateAccessBody,
  ) {
    return this.bindings.update(call, access, { type, id }, body);
  }

  @Delete(ONE)
  @Requires({ collection: 'share' })
  @ApiOperation({ summary: 'Revoke an access binding' })
  @ApiParam(PRINCIPAL_TYPE)
  @ApiParam(PRINCIPAL_ID)
  @ApiOkResponse({ type: RevokedAccessView })
  revokeAccess(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('principal_type') type: string,
    @Param('principal_id') id: string,
  ) {
    return this.bindings.revoke(call, access, { type, id });
  }
}
