import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { Retryable } from '../../../platform/idempotency/retryable.decorator.js';
import { Accessed, CollectionParam } from '../../collections/collection.step.js';
import type { Access } from '../../collections/collection-access.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  CreatedWebhookView,
  CreateWebhookBody,
  DeletedWebhookView,
  DeliveryPageView,
  DeliveryView,
  ListDeliveriesQuery,
  RotateWebhookSecretBody,
  UpdateWebhookBody,
  WebhookListView,
  WebhookView,
} from './webhook.dto.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { Webhooks } from './webhooks.service.js';

@ApiTags('Webhooks')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Get()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'List the webhooks of a collection, without their secrets' })
  @ApiOkResponse({ type: WebhookListView })
  listWebhooks(@Accessed() access: Access) {
    return this.webhooks.list(access);
  }

  @Post()
  @Retryable()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({
    summary: 'Create a webhook that posts changes of a collection to a URL (its secret is shown only once)',
    description:
      'Messages follow the Standard Webhooks convention. Each change from now on is delivered at least once.',
  })
  @ApiCreatedResponse({ type: CreatedWebhookView })
  createWebhook(@Calling() call: Call, @Accessed() access: Access, @Body() body: CreateWebhookBody) {
    return this.webhooks.create(call, access, body);
  }

  @Get(':webhook_id')
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Read a webhook' })
  @ApiOkResponse({ type: WebhookView })
  getWebhook(@Accessed() access: Access, @Param('webhook_id') id: string) {
    return this.webhooks.get(access, id);
  }

  @Patch(':webhook_id')
  @Retryable()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Update a webhook, pause it, or switch it on again' })
  @ApiOkResponse({ type: WebhookView })
  updateWebhook(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('webhook_id') id: string,
    @Body() body: UpdateWebhookBody,
  ) {
    return this.webhooks.update(call, access, id, body);
  }

  @Delete(':webhook_id')
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Delete a webhook with all its deliveries' })
  @ApiOkResponse({ type: DeletedWebhookView })
  deleteWebhook(@Calling() call: Call, @Accessed() access: Access, @Param('webhook_id') id: string) {
    return this.webhooks.delete(call, access, id);
  }

  @Post(':webhook_id/rotate')
  @HttpCode(200)
  @Retryable()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Rotate the secret of a webhook (the new one is shown only once)' })
  @ApiOkResponse({ type: CreatedWebhookView })
  rotateWebhookSecret(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('webhook_id') id: string,
    @Body() body: RotateWebhookSecretBody,
  ) {
    return this.webhooks.rotate(call, access, id, body);
  }
}

@ApiTags('Webhooks')
@CollectionParam()
@AdmittedWrites()
@Controller('v1/collections/:collection_id/webhooks/:webhook_id')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  @Post('test')
  @HttpCode(200)
  @Retryable()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Send a test delivery to a webhook' })
  @ApiOkResponse({ type: DeliveryView })
  testWebhook(@Calling() call: Call, @Accessed() access: Access, @Param('webhook_id') id: string) {
    return this.deliveries.test(call, access, id);
  }

  @Get('deliveries')
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'List the deliveries of a webhook, newest first' })
  @ApiOkResponse({ type: DeliveryPageView })
  listDeliveries(
    @Accessed() access: Access,
    @Param('webhook_id') id: string,
    @Query() query: ListDeliveriesQuery,
  ) {
    return this.deliveries.list(access, id, query);
  }

  @Post('deliveries/:delivery_id/redeliver')
  @HttpCode(200)
  @Retryable()
  @Requires({ collection: 'webhooks' })
  @ApiOperation({ summary: 'Send a delivery of a webhook again, also after it was given up' })
  @ApiOkResponse({ type: DeliveryView })
  redeliverDelivery(
    @Calling() call: Call,
    @Accessed() access: Access,
    @Param('webhook_id') id: string,
    @Param('delivery_id') deliveryId: string,
  ) {
    return this.deliveries.redeliver(call, access, id, deliveryId);
  }
}
