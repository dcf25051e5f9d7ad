import { ApiProperty } from '@nestjs/swagger';
import { MAX_GROUPS } from '../../engine/storage/records/aggregate/aggregate.js';
import { MAX_FILLED, PERIODS } from '../../engine/storage/records/aggregate/groups.js';
import { AGGREGATE_TYPES } from '../../engine/storage/records/aggregate/steps.js';
import {
  ChoiceField,
  DateTimeField,
  FlagField,
  IntegerField,
  JsonField,
  NestedField,
  PlanField,
  TextField,
} from '../../platform/http/field.decorators.js';
import { AS_OF, FILTER, SORT, VIEW_AS } from '../../platform/http/query.fields.js';

const FILTER_TEXT = { ...FILTER, description: 'MongoDB-style filter, as JSON text.' };

abstract class Count {
  @PlanField('count')
  operation?: 'count';

  @DateTimeField(AS_OF)
  as_of?: string;
}

/** A count as the caller itself. */
export class CountedRecords extends Count {
  @JsonField(FILTER_TEXT)
  filter?: unknown;
}

export class CountRecordsQuery extends CountedRecords {
  @TextField(VIEW_AS)
  view_as?: string;
}

export class CountRecordsBody extends Count {
  @JsonField(FILTER)
  filter?: unknown;

  @TextField(VIEW_AS)
  view_as?: string;
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

/** Distinct values as the caller itself sees them. */
export class DistinctOfRecords extends Distinct {
  @JsonField(FILTER_TEXT)
  filter?: unknown;
}

export class DistinctValuesQuery extends DistinctOfRecords {
  @TextField(VIEW_AS)
  view_as?: string;
}

export class DistinctValuesBody extends Distinct {
  @JsonField(FILTER)
  filter?: unknown;

  @TextField(VIEW_AS)
  view_as?: string;
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

  @JsonField({
    ...FILTER,
    description: 'MongoDB-style filter: the step reads only the records of the group that match.',
    example: { paid: true },
  })
  filter?: unknown;

  @JsonField({
    optional: true,
    description:
      'Of `percentile`: which, from 0 to 1. The result is interpolated between the nearest values.',
    example: 0.95,
    schema: { type: 'number', minimum: 0, maximum: 1 },
    expects: 'a number from 0 to 1',
    check: value => typeof value === 'number' && value >= 0 && value <= 1,
  })
  at?: number;

  @JsonField({
    ...SORT,
    description: 'Of `first` and `last`: the order of the records. The result can be null.',
    example: { created_at: 1 },
  })
  sort?: unknown;
}

const GROUP_BY = {
  oneOf: [
    { type: 'string' },
    {
      type: 'object',
      description:
        'A period of dates and date-times (`every`, in `zone`), or a range of numbers (`step`). Without both, the values of the field.',
      required: ['field'],
      additionalProperties: false,
      properties: {
        field: { type: 'string', description: 'Field name. Use dots for nested fields.' },
        every: {
          type: 'string',
          enum: [...PERIODS],
          description:
            'Groups by period. Weeks begin on Monday. The group is the beginning of the period: a date from `day` on, an instant below.',
        },
        zone: {
          type: 'string',
          description: 'IANA time zone of the periods, default UTC. Not for columns of dates.',
        },
        step: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Groups numbers: the group is floor(x / step) * step.',
        },
        as: { type: 'string', description: 'Name of the group in the results. Default: the field.' },
      },
    },
  ],
};

/** An aggregation as the caller itself. */
export class AggregatedRecords {
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
    description:
      'One entry, or a list of up to 5: the name of a field, or an object for periods of dates or ranges of numbers. ' +
      'There is one result for each combination of their values.',
    example: [{ field: 'created_at', every: 'month', zone: 'Europe/Paris', as: 'month' }],
    schema: { oneOf: [...GROUP_BY.oneOf, { type: 'array', items: GROUP_BY, maxItems: 5 }] } as object,
  })
  group_by?: unknown;

  @FlagField({
    optional: true,
    description: `Adds the empty groups between the first and the last, if \`group_by\` is one entry with \`every\` or \`step\`. At most ${MAX_FILLED} groups.`,
  })
  fill?: boolean;

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

export class AggregateRecordsBody extends AggregatedRecords {
  @TextField(VIEW_AS)
  view_as?: string;
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
