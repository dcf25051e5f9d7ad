import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accessed, CollectionParam } from '../../collections/accessed.decorator.js';
import type { Access } from '../../collections/collection-access.js';
import { Calling } from '../../http/platform-request.js';
import { Requires } from '../../http/requires.decorator.js';
import { Retryable } from '../../idempotency/retryable.decorator.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import type { Call } from '../../kernel/call.js';
import { ListDeliveriesQuery } from './webhook.dto.js';
import { DeliveryPageView, DeliveryView } from './webhook.view.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';

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
  @ApiOperation({ summary: 'Send a delivery of a webhook again, even one that was given up' })
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
