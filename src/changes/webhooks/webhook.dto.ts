import {
  ChoiceField,
  FlagField,
  IntegerField,
  ObjectField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../kernel/page.js';
import { CHANGE_TYPES, type ChangeType } from '../change-type.js';
import { DELIVERY_STATUSES } from './webhook-delivery.entity.js';

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
