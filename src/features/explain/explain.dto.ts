import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { NestedField } from '../../platform/http/field.decorators.js';
import { AggregatedRecords } from '../analytics/analytics.dto.js';
import { SearchedRecords } from '../records/query/query-records.dto.js';

export class ExplainQueryBody extends SearchedRecords {
  @NestedField(() => AggregatedRecords, {
    optional: true,
    description: 'An aggregation to explain instead of a query. No other field goes with it.',
  })
  aggregate?: AggregatedRecords;
}

/** An index or a unique constraint, as in the lists `indexes` and `uniques` of the collection. */
export class ExplainedIndexView {
  @ApiProperty({ type: [String], example: ['age'], description: 'The columns of the index.' })
  properties: readonly string[];
  @ApiProperty({ enum: ['search'], required: false, description: 'Only of an index that serves `$search`.' })
  kind?: 'search';
}

@ApiExtraModels(ExplainedIndexView)
export class PlanStepView {
  @ApiProperty({ example: 'find records by the index on age', description: 'What the step does.' })
  step: string;
  @ApiProperty({ type: 'integer', description: 'Rows that the step returned.' }) rows: number;
  @ApiProperty({ description: 'Time of the step in milliseconds, with the steps below it.' }) ms: number;
  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath('PlanStepView') },
    description: 'The steps that it got its rows from.',
  })
  children: readonly PlanStepView[];
}

const INDEX = { type: ExplainedIndexView, nullable: true } as const;

export class ExplainedQueryView {
  @ApiProperty({
    ...INDEX,
    description:
      'The entry of `indexes` or `uniques` that was used; null when none was, or only the index of the ids.',
  })
  index: ExplainedIndexView | null;
  @ApiProperty({
    type: [ExplainedIndexView],
    required: false,
    description: 'All entries that were used. Present when there are several.',
  })
  indexes?: readonly ExplainedIndexView[];
  @ApiProperty({
    description: 'True when an index found the records or their order, also the index of the ids.',
  })
  uses_index: boolean;
  @ApiProperty({
    type: 'integer',
    description:
      'Rows that the database expected before it began, without the limit of the page. A wrong expectation can lead to a slow plan.',
  })
  estimated_rows: number;
  @ApiProperty({ type: 'integer', description: 'Records of the page, or results of the aggregation.' })
  returned_rows: number;
  @ApiProperty({
    type: 'integer',
    description:
      'Records that the database read. When it is much larger than `returned_rows`, an index can help.',
  })
  scanned_rows: number;
  @ApiProperty({ description: 'Time in the database, in milliseconds.', example: 1.2 }) duration_ms: number;
  @ApiProperty({ type: PlanStepView, description: 'The steps, the last one first.' }) plan: PlanStepView;
  @ApiProperty({
    ...INDEX,
    description:
      'An entry for `indexes` with which this read would read far fewer records; null when none would help. applyIndexes takes the full set, so send it with the present entries.',
  })
  advice: ExplainedIndexView | null;
}
