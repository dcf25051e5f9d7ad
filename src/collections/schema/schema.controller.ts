import { Body, Controller, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Calling } from '../../http/call.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import { Retryable } from '../../idempotency/retryable.decorator.js';
import type { Call } from '../../kernel/call.js';
import { Accessed, CollectionParam } from '../accessed.decorator.js';
import type { Access } from '../collection-access.js';
import { IndexBuilds } from './index-builds.service.js';
import { AppliedIndexesView, ApplyIndexesBody, SchemaView, UpdateSchemaBody } from './schema.dto.js';
import { SchemaChanges } from './schema-changes.service.js';

@ApiTags('Schema')
@CollectionParam()
@Controller('v1/collections/:collection_id')
export class SchemaController {
  constructor(
    private readonly changes: SchemaChanges,
    private readonly builds: IndexBuilds,
  ) {}

  @Patch('schema')
  @Retryable()
  @Requires({ collection: 'manage' })
  @ApiOperation({ summary: 'Update the schema: add columns, change their types or whether they may be null' })
  @ApiOkResponse({ type: SchemaView })
  updateSchema(@Calling() call: Call, @Accessed() access: Access, @Body() body: UpdateSchemaBody) {
    return this.changes.apply(call, access, body);
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
