import { ApiProperty } from '@nestjs/swagger';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ObjectField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../kernel/limits.js';
import { CHANGE_TYPES, type ChangeType } from '../change-reader.service.js';
import { DELIVERY_STATUSES, type Webhook, type WebhookDelivery } from './webhook.entity.js';

const URL_FIELD = {
  max: 1000,
  description: 'Where changes are posted to: https, a public address, no credentials in it.',
  example: 'https://hooks.example.com/customers',
};

const EVENTS = {
  optional: true,
  min: 1,
  max: CHANGE_TYPES.length,
  pattern: new RegExp(`^(${CHANGE_TYPES.join('|')})$`),
  hint: CHANGE_TYPES.join(', '),
  description: 'What is told; absent: everything.',
  example: ['inserted', 'updated'],
};

const FILTER = {
  optional: true,
  nullable: true,
  description: 'Only changes of records that match, as they are after the change; null: of all.',
  example: { age: { $gte: 18 } },
};

export class CreateWebhookBody {
  @TextField(URL_FIELD)
  url: string;

  @TextListField(EVENTS)
  events?: ChangeType[];

  @ObjectField(FILTER)
  filter?: object | null;
}

export class UpdateWebhookBody {
  @TextField({ ...URL_FIELD, optional: true })
  url?: string;

  @TextListField(EVENTS)
  events?: ChangeType[];

  @ObjectField(FILTER)
  filter?: object | null;

  @FlagField({
    optional: true,
    description: 'false: pauses it; true: goes on where it was, as far as changes are kept.',
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
    description: 'Seconds for which the old secret signs as well.',
    example: 3600,
  })
  grace_seconds: number = 0;
}

export class ListDeliveriesQuery {
  @ChoiceField(DELIVERY_STATUSES, {
    optional: true,
    description: 'Only those that are due, have arrived, or were given up.',
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
    description: '`next_cursor` of the page before, with the same status.',
  })
  cursor?: string;
}

/** A webhook without its secret. */
export class WebhookView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ enum: ['collection.webhook'] }) object: 'collection.webhook';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ example: 'https://hooks.example.com/customers' }) url: string;
  @ApiProperty({ enum: CHANGE_TYPES, isArray: true }) events: string[];
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) filter: object | null;
  @ApiProperty({
    enum: ['active', 'paused', 'failing', 'gone'],
    description:
      'failing: nothing could be delivered for days; gone: the endpoint answered 410. Either is switched off.',
  })
  status: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when every attempt has failed.',
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
  @ApiProperty({ description: 'Verifies signatures; shown this once.', example: 'whsec_…' }) secret: string;
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
  @ApiProperty({ format: 'uuid', description: 'The `webhook-id` of the message.' }) id: string;
  @ApiProperty({ enum: DELIVERY_STATUSES, description: 'dead: given up; redeliver it when you like.' })
  status: string;
  @ApiProperty({ type: 'integer', description: 'Changes that it tells of.' }) changes: number;
  @ApiProperty({ type: 'integer' }) attempts: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Status of the last answer; null: there was none.',
  })
  last_status: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_attempt_at: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it is sent next; null unless it is pending.',
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
  @ApiProperty({ type: String, nullable: true, description: 'Null at the end.' }) next_cursor: string | null;
}
