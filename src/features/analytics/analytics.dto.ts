import { ApiProperty } from '@nestjs/swagger';
import { AGGREGATE_TYPES, MAX_GROUPS } from '../../engine/storage/records/aggregate.js';
import {
  ChoiceField,
  DateTimeField,
  IntegerField,
  JsonField,
  NestedField,
  PlanField,
  TextField,
} from '../../platform/http/field.decorators.js';
import { AS_OF, FILTER } from '../../platform/http/query.fields.js';

const FILTER_TEXT = { ...FILTER, description: 'MongoDB-style filter, as JSON text.' };

abstract class Count {
  @PlanField('count')
  operation?: 'count';

  @DateTimeField(AS_OF)
  as_of?: string;
}

export class CountRecordsQuery extends Count {
  @JsonField(FILTER_TEXT)
  filter?: unknown;
}

export class CountRecordsBody extends Count {
  @JsonField(FILTER)
  filter?: unknown;
}

abstract class Distinct {
  @PlanField('distinct')
  operation?: 'distinct';

  @TextField({
    max: 4096,
    description: 'Field name. Use dots for nested fields, for example `address.city`.',
    example: 'city',
  })
  field: string;

  @DateTimeField(AS_OF)
  as_of?: string;
}

export class DistinctValuesQuery extends Distinct {
  @JsonField(FILTER_TEXT)
  filter?: unknown;
}

export class DistinctValuesBody extends Distinct {
  @JsonField(FILTER)
  filter?: unknown;
}

export class AggregateStepBody {
  @ChoiceField(AGGREGATE_TYPES, { description: 'What to compute.', example: 'avg' })
  type: (typeof AGGREGATE_TYPES)[number];

  @TextField({
    optional: true,
    max: 4096,
    description: 'Field to compute from. `count` without a field counts records.',
    example: 'age',
  })
  input_field?: string;

  @TextField({ max: 255, description: 'Name of the computed value in the results.', example: 'average_age' })
  output_field: string;
}

export class AggregateRecordsBody {
  @PlanField('aggregate')
  operation?: 'aggregate';

  @NestedField(() => AggregateStepBody, {
    list: true,
    min: 1,
    max: 10,
    description: 'What to compute, 1 to 10 steps.',
    example: [{ type: 'avg', input_field: 'age', output_field: 'average_age' }],
  })
  steps: AggregateStepBody[];

  @JsonField(FILTER)
  filter?: unknown;

  @JsonField({
    optional: true,
    description: 'One field, or a list of up to 5. There is one result for each combination of their values.',
    example: 'city',
    schema: {
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 5 }],
    } as object,
  })
  group_by?: unknown;

  @JsonField({
    optional: true,
    description:
      'Sort by grouped and output fields: 1 ascending, -1 descending. Default: by the group values.',
    example: { average_age: -1 },
  })
  sort?: unknown;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_GROUPS,
    description: 'Maximum number of results.',
    example: 10,
  })
  limit?: number;

  @JsonField({
    optional: true,
    description: 'Filter on the results, by grouped and output fields.',
    example: { average_age: { $gt: 30 } },
  })
  having?: unknown;

  @DateTimeField(AS_OF)
  as_of?: string;
}

export class CountView {
  @ApiProperty({ type: 'integer', example: 1 }) count: number;
}

export class DistinctView {
  @ApiProperty({ example: 'city' }) field: string;
  @ApiProperty({ type: 'integer', description: 'Number of values returned, at most 1,000.' }) count: number;
  @ApiProperty({ type: 'array', items: {} }) values: unknown[];
}

export class AggregateView {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) results: object[];
}
