import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../../engine/storage/storage.module.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { Collection } from '../collections/collection.entity.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { ChangeFeeds, ChangePruning } from './change-feeds.service.js';
import { ChangePositions } from './change-positions.js';
import { ChangeReader } from './change-reader.service.js';
import { ChangeStreams } from './change-streams.service.js';
import { ChangeWatch } from './change-watch.service.js';
import { ChangesController } from './changes.controller.js';
import { Changes } from './changes.service.js';
import { Webhook, WebhookDelivery } from './webhooks/webhook.entity.js';
import { WebhookDeliveries } from './webhooks/webhook-deliveries.service.js';
import { WebhookDispatch } from './webhooks/webhook-dispatch.service.js';
import { WebhookLog, WebhookSwitch } from './webhooks/webhook-log.service.js';
import { WebhookMessages } from './webhooks/webhook-messages.service.js';
import { WebhookSender } from './webhooks/webhook-sender.service.js';
import { WebhookDeliveriesController, WebhooksController } from './webhooks/webhooks.controller.js';
import { Webhooks } from './webhooks/webhooks.service.js';

/** Changes of records: by request, as streams, and through webhooks. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Collection, Webhook, WebhookDelivery]),
    CollectionsModule,
    HttpModule,
    StorageModule,
  ],
  controllers: [ChangesController, WebhooksController, WebhookDeliveriesController],
  providers: [
    Changes,
    ChangeFeeds,
    ChangePositions,
    ChangePruning,
    ChangeReader,
    ChangeStreams,
    ChangeWatch,
    Webhooks,
    WebhookDeliveries,
    WebhookDispatch,
    WebhookLog,
    WebhookMessages,
    WebhookSender,
    WebhookSwitch,
  ],
  exports: [ChangePruning, ChangeStreams],
})
export class ChangesModule {}
