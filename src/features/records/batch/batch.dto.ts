import { ApiProperty } from '@nestjs/swagger';
import { FlagField, JsonField } from '../../../platform/http/field.decorators.js';

/** Maximum of operations in one batch. */
export const MAX_OPERATIONS = 1_000;

const ID = { type: 'string', format: 'uuid' };
const IF_MATCH = {
  type: 'string',
  description: '`ETag` of the record as you read it: the batch is refused if the record has changed since.',
};
const RECORD = { type: 'object', additionalProperties: true };

function only(name: string, schema: object): object {
  return { type: 'object', required: [name], additionalProperties: false, properties: { [name]: schema } };
}

const OPERATION = {
  oneOf: [
    only('insert', { ...RECORD, description: 'The record to insert.' }),
    only('update', {
      type: 'object',
      required: ['_id', 'update'],
      additionalProperties: false,
      properties: {
        _id: ID,
        if_match: IF_MATCH,
        update: { ...RECORD, description: 'Fields to set, or update operators.' },
      },
    }),
    only('delete', {
      type: 'object',
      required: ['_id'],
      additionalProperties: false,
      properties: { _id: ID, if_match: IF_MATCH },
    }),
  ],
};

export class BatchRecordsBody {
  @JsonField({
    description:
      '1 to 1,000 operations, all or nothing: `{"insert": record}`, `{"update": {"_id", "if_match", "update"}}` or `{"delete": {"_id", "if_match"}}`. ' +
      'No two of them may name the same record.',
    example: [
      { insert: { email: 'barbara@example.com', age: 85 } },
      { insert: { email: 'tony@example.com' } },
    ],
    schema: { type: 'array', items: OPERATION, minItems: 1, maxItems: MAX_OPERATIONS } as object,
  })
  operations: unknown;

  @FlagField({
    optional: true,
    default: false,
    description:
      'Return what the batch would do, or its refusal, and write nothing, not even an audit event.',
  })
  dry_run?: boolean;
}

class BatchResultView {
  @ApiProperty({
    format: 'uuid',
    description: 'In a dry run, a new record has an id that no record will get.',
  })
  _id: string;
  @ApiProperty({ enum: ['inserted', 'updated', 'deleted'] }) operation: 'inserted' | 'updated' | 'deleted';
  @ApiProperty({
    type: String,
    nullable: true,
    example: '"811-1767225600000-3"',
    description: 'The `ETag` of the record from now on; null for a deleted record, and in a dry run.',
  })
  _etag: string | null;
}

export class BatchView {
  @ApiProperty({ type: [BatchResultView], description: 'One for each operation, in the same order.' })
  results: BatchResultView[];
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The audit event; null when no record had to be changed.',
  })
  event_id: string | null;
  @ApiProperty({ required: false, example: true, description: 'Set when nothing was written.' })
  dry_run?: true;
}
