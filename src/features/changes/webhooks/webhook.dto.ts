import { ApiProperty } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../base/kernel/limits.js';
import { EVENT_TYPES, type EventType } from '../../../engine/storage/changes/changes.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ObjectField,
  TextField,
  TextListField,
} from '../../../platform/http/field.decorators.js';
import { DELIVERY_STATUSES, type Webhook, type WebhookDelivery } from './webhook.entity.js';

const URL_FIELD = {
  max: 1000,
  description: 'URL that changes are posted to: https, with a public address, without credentials.',
  example: 'https://hooks.example.com/customers',
};

const EVENTS = {
  optional: true,
  min: 1,
  max: EVENT_TYPES.length,
  pattern: new RegExp(`^(${EVENT_TYPES.join('|')})$`),
  hint: EVENT_TYPES.join(', '),
  description:
    'Kinds of changes to send. Absent: all kinds except `left`, which are changes after which a record no longer matches the filter.',
  example: ['inserted', 'updated'],
};

const FILTER = {
  optional: true,
  nullable: true,
  description:
    'Sends only changes whose record matches this filter after the change; `left` if it matched before. Null: sends all changes.',
  example: { age: { $gte: 18 } },
};

export class CreateWebhookBody {
  @TextField(URL_FIELD)
  url: string;

  @TextListField(EVENTS)
  events?: EventType[];

  @ObjectField(FILTER)
  filter?: object | null;
}

export class UpdateWebhookBody {
  @TextField({ ...URL_FIELD, optional: true })
  url?: string;

  @TextListField(EVENTS)
  events?: EventType[];

  @ObjectField(FILTER)
  filter?: object | null;

  @FlagField({
    optional: true,
    description:
      'false pauses the webhook; true continues where it stopped, as far as the changes are still stored.',
    example: true,
  })
  active?: boolean;
}

export class RotateWebhookSecretBody {
  @IntegerField({
    optional: true,
    min: 0,
    max: 86_400,
    default: 0,
    description: 'Seconds during which messages are signed with the old secret too.',
    example: 3600,
  })
  grace_seconds: number = 0;
}

export class ListDeliveriesQuery {
  @ChoiceField(DELIVERY_STATUSES, {
    optional: true,
    description:
      'Only deliveries with this status: `pending` (to be sent), `delivered`, or `dead` (given up).',
  })
  status?: (typeof DELIVERY_STATUSES)[number];

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Entries per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @TextField({
    optional: true,
    min: 0,
    max: 200,
    description: '`next_cursor` of the previous page, with the same status.',
  })
  cursor?: string;
}

/** A webhook without its secret. */
export class WebhookView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ enum: ['collection.webhook'] }) object: 'collection.webhook';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ example: 'https://hooks.example.com/customers' }) url: string;
  @ApiProperty({ enum: EVENT_TYPES, isArray: true }) events: string[];
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) filter: object | null;
  @ApiProperty({
    enum: ['active', 'paused', 'failing', 'gone'],
    description:
      '`failing`: nothing could be delivered for days. `gone`: the endpoint responded with 410. Both switch the webhook off.',
  })
  status: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time since which every attempt has failed; null if none has failed since the last success.',
  })
  failing_since: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;

  static of(this: void, webhook: Webhook): WebhookView {
    return {
      id: webhook.id,
      object: 'collection.webhook',
      collection_id: webhook.collectionId,
      url: webhook.url,
      events: webhook.events,
      filter: webhook.filter,
      status: webhook.status,
      failing_since: webhook.failingSince?.toISOString() ?? null,
      created_at: webhook.createdAt.toISOString(),
      updated_at: webhook.updatedAt.toISOString(),
    };
  }
}

/** A webhook with its new secret. Only the responses to its creation and to a rotation contain a secret. */
export class CreatedWebhookView extends WebhookView {
  @ApiProperty({
    description: 'Secret that verifies the signatures of messages. Shown only in this response.',
    example: 'whsec_…',
  })
  secret: string;
}

export class WebhookListView {
  @ApiProperty({ enum: ['list'] }) object: 'list';
  @ApiProperty({ type: [WebhookView] }) items: WebhookView[];
  @ApiProperty() total: number;
}

export class DeletedWebhookView {
  @ApiProperty({ example: true }) deleted: boolean;
}

/** A message and the state of its delivery. */
export class DeliveryView {
  @ApiProperty({ format: 'uuid', description: 'Id of the delivery; sent as `webhook-id` with the message.' })
  id: string;
  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`dead`: all attempts failed. It can be sent again with redeliver.',
  })
  status: string;
  @ApiProperty({ type: 'integer', description: 'Number of changes in the message.' }) changes: number;
  @ApiProperty({ type: 'integer' }) attempts: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last response; null: there was no response.',
  })
  last_status: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_attempt_at: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the next attempt; null unless the delivery is pending.',
  })
  due_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;

  static of(this: void, delivery: WebhookDelivery): DeliveryView {
    return {
      id: delivery.id,
      status: delivery.status,
      changes: delivery.changes,
      attempts: delivery.attempts,
      last_status: delivery.lastStatus,
      last_attempt_at: delivery.attemptedAt?.toISOString() ?? null,
      due_at: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
      created_at: delivery.createdAt.toISOString(),
    };
  }
}

export class DeliveryPageView {
  @ApiProperty({ type: [DeliveryView], description: 'Newest first.' }) items: DeliveryView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page.',
  })
  next_cursor: string | null;
}
