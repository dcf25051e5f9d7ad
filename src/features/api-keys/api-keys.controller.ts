import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import { PageQuery } from '../../platform/http/list-page.js';
import { Calling } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { Retryable } from '../../platform/idempotency/retryable.decorator.js';
import { Accessed, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import {
  ApiKeyListView,
  ApiKeyView,
  CreateApiKeyBody,
  CreatedApiKeyView,
  DeletedApiKeyView,
  RotateApiKeyBody,
  UpdateApiKeyBody,
} from './api-key.dto.js';
import { ApiKeys } from './api-keys.service.js';

@ApiTags('API Keys')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeys) {}

  @Get()
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'List the API keys of a collection, without the keys themselves' })
  @ApiOkResponse({ type: ApiKeyListView })
  listApiKeys(@Accessed() access: Access, @Query() page: PageQuery) {
    return this.keys.list(access, page);
  }

  @Post()
  @Retryable()
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'Mint an API key of a collection (it is shown only once)' })
  @ApiCreatedResponse({ type: CreatedApiKeyView })
  createApiKey(@Calling() call: Call, @Accessed() access: Access, @Body() body: CreateApiKeyBody) {
    return this.keys.create(call, access, body);
  }

  @Get(':key_id')
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'Read an API key of a collection' })
  @ApiOkResponse({ type: ApiKeyView })
  getApiKey(@Accessed() access: Access, @Param('key_id') id: string) {
    return this.keys.get(access, id);
  }

  @Patch(':key_id')
  @Retryable()
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'Update the name, permissions, expiry, rules, fields or limits of an API key' })
  @ApiOkResponse({ type: ApiKeyView })
  updateApiKey(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('key_id') id: string,
    @Body() body: UpdateApiKeyBody,
  ) {
    return this.keys.update(call, access, id, body);
  }

  @Delete(':key_id')
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'Revoke an API key of a collection' })
  @ApiOkResponse({ type: DeletedApiKeyView })
  deleteApiKey(@Calling() call: Call, @Accessed() access: Access, @Param('key_id') id: string) {
    return this.keys.delete(call, access, id);
  }

  @Post(':key_id/rotate')
  @HttpCode(200)
  @Retryable()
  @Requires({ collection: 'keys' })
  @ApiOperation({ summary: 'Rotate an API key of a collection (the new one is shown only once)' })
  @ApiOkResponse({ type: CreatedApiKeyView })
  rotateApiKey(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('key_id') id: string,
    @Body() body: RotateApiKeyBody,
  ) {
    return this.keys.rotate(call, access, id, body);
  }
}
