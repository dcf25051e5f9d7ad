import { ApiProperty } from '@nestjs/swagger';
import type { IndexDefinition } from '../../engine/storage/collection-shape.js';
import { IndexView } from '../collections/collection-view.js';

const REASONS = ['missing', 'unused'] as const;
const SHOWN = { type: 'object' as const, additionalProperties: true, nullable: true };

export class QuerySampleView {
  @ApiProperty({
    ...SHOWN,
    example: { customer: 'integer' },
    description: 'The filter, with the names of types in place of its values; null when none was sent.',
  })
  filter: object | null;
  @ApiProperty({ ...SHOWN, example: { number: -1 }, description: 'The sort; null when none was sent.' })
  sort: object | null;
}

export class AdviceItemView {
  @ApiProperty({
    type: IndexView,
    description: 'An entry for `indexes`: one to add, or one of the collection that can be left out.',
  })
  index: IndexDefinition;
  @ApiProperty({
    enum: REASONS,
    description:
      '`missing`: queries read more than ten times the records that they returned, and this index would have found them. ' +
      '`unused`: no query has used the index for 7 days, or since it was built.',
  })
  reason: (typeof REASONS)[number];
  @ApiProperty({
    type: 'integer',
    description: 'Queries of the last 7 days that the index would have made faster; 0 when it is `unused`.',
  })
  queries_seen: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 12.5,
    description:
      'Mean time of these queries in milliseconds, with the wait for a connection to the database; null when the index is `unused`.',
  })
  avg_ms: number | null;
  @ApiProperty({
    type: QuerySampleView,
    nullable: true,
    description: 'The query that took most time of all; null when the index is `unused`.',
  })
  sample: QuerySampleView | null;
}

export class AdviceView {
  @ApiProperty({
    type: [AdviceItemView],
    description: 'Missing indexes first, those that would save most time at the top.',
  })
  items: AdviceItemView[];
}
