import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { isJsonObject } from '../../../base/kernel/json.js';
import { MAX_LIMIT } from '../../../base/kernel/limits.js';
import { MAX_DISTINCT } from '../../../engine/storage/records/distinct.js';
import { IntegerField } from '../../../platform/http/field.decorators.js';
import {
  AggregatedRecords,
  AggregateView,
  CountedRecords,
  CountView,
  DistinctOfRecords,
  DistinctView,
} from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { EmptyResults } from '../empty-results.service.js';
import {
  type CollectionArguments,
  CollectionIdField,
  CollectionTool,
  FilterField,
  HintsField,
  type ToolInfo,
} from './tool.js';
import { counted, fitting, ResultBudget, type ToolAnswer } from './tool-answer.js';

/** A tool that computes over the records of a collection. Nest injects the same into each of them. */
@Injectable()
abstract class AnalyticsTool<Arguments extends CollectionArguments> extends CollectionTool<Arguments> {
  readonly right = 'read';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    protected readonly analytics: Analytics,
    protected readonly budget: ResultBudget,
    protected readonly empty: EmptyResults,
  ) {
    super(accesses);
  }
}

class CountArguments extends CountedRecords {
  @CollectionIdField()
  collection_id: string;

  @FilterField()
  override filter: unknown = undefined;
}

class CountAnswer extends CountView {
  @HintsField()
  hints?: string[];
}

@Injectable()
export class DataCountTool extends AnalyticsTool<CountArguments> {
  readonly info: ToolInfo = {
    name: 'data_count',
    title: 'Count records',
    description: 'Counts the records that a MongoDB-style filter matches, exactly; without a filter, all.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = CountArguments;
  readonly answer = CountAnswer;

  protected async act(_: Call, access: Access, args: CountArguments): Promise<ToolAnswer> {
    const data = await this.analytics.count(access, args);
    const { sentence, data: hints } = await this.empty.explain(data.count === 0, access, args.filter);
    const matching = data.count === 1 ? '1 record matches.' : `${data.count} records match.`;
    return { summary: `${matching}${sentence}`, data: { ...data, ...hints } };
  }
}

class DistinctArguments extends DistinctOfRecords {
  @CollectionIdField()
  collection_id: string;

  @FilterField()
  override filter: unknown = undefined;

  @IntegerField({
    min: 0,
    max: 1_000_000_000,
    optional: true,
    default: 0,
    description: 'How many values to pass over: next_offset of the answer before.',
  })
  offset: number = 0;
}

class DistinctAnswer extends DistinctView {
  @ApiProperty({ description: 'Not all values are here: go on with next_offset, unless it is null.' })
  truncated: boolean;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Send it as offset; null at the end.' })
  next_offset: number | null;

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Values that were passed over, because each is larger than an answer.',
  })
  too_large?: number;

  @HintsField()
  hints?: string[];
}

@Injectable()
export class DataDistinctTool extends AnalyticsTool<DistinctArguments> {
  readonly info: ToolInfo = {
    name: 'data_distinct',
    title: 'Distinct values',
    description:
      'The distinct values of a field in order, at most 1,000 at once; elements of arrays one by one. When next_offset ' +
      'is not null, go on with it.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = DistinctArguments;
  readonly answer = DistinctAnswer;

  protected async act(_: Call, access: Access, args: DistinctArguments): Promise<ToolAnswer> {
    const { field, offset } = args;
    const maxBytes = this.budget.list - Buffer.byteLength(field);
    const part = await this.analytics.distinctPart(access, args, { offset, maxBytes });
    const found = part.map(each => each?.[0]);
    const { shown, tooLarge, taken } = fitting(found.slice(0, MAX_DISTINCT), maxBytes);
    const next = taken < found.length ? offset + taken : null;
    const more = next === null ? 'There are no more.' : 'There are more: go on with next_offset.';
    const isEmpty = found.length === 0 && offset === 0;
    const { sentence, data: hints } = await this.empty.explain(isEmpty, access, args.filter, [field]);
    return {
      summary: `${counted(shown.length, 'value')}. ${more}${sentence}`,
      data: {
        field,
        count: shown.length,
        values: shown,
        truncated: next !== null || tooLarge > 0,
        next_offset: next,
        ...(tooLarge > 0 && { too_large: tooLarge }),
        ...hints,
      },
    };
  }
}

class AggregateArguments extends AggregatedRecords {
  @CollectionIdField()
  collection_id: string;
}

class AggregateAnswer extends AggregateView {
  @ApiProperty({
    description: 'There are more groups: narrow the filter, or send sort and limit, or having.',
  })
  truncated: boolean;

  @ApiProperty({
    type: 'integer',
    required: false,
    description:
      'Groups that were passed over, because each is larger than an answer: group by something shorter.',
  })
  too_large?: number;

  @HintsField()
  hints?: string[];
}

@Injectable()
export class DataAggregateTool extends AnalyticsTool<AggregateArguments> {
  readonly info: ToolInfo = {
    name: 'data_aggregate',
    title: 'Sum, average, count by group',
    description:
      'Computes counts, sums, averages, extremes, medians and percentiles over the records that a filter matches, grouped ' +
      'by up to 5 fields, also by periods of dates ({"field": "created_at", "every": "month"}) and ranges of numbers. At ' +
      'most 100 groups are shown. Use this instead of reading records to add them up.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = AggregateArguments;
  readonly answer = AggregateAnswer;

  protected async act(_: Call, access: Access, args: AggregateArguments): Promise<ToolAnswer> {
    const wanted = Math.min(args.limit ?? Number.POSITIVE_INFINITY, MAX_LIMIT + 1);
    const { text } = await this.analytics.aggregate(access, { ...args, limit: wanted });
    const all: object[] = JSON.parse(text).results;
    const { shown, tooLarge } = fitting(all.slice(0, MAX_LIMIT), this.budget.list);
    const truncated = shown.length < all.length;
    const isEmpty = all.every(isOfNothing);
    const { sentence, data: hints } = await this.empty.explain(isEmpty, access, args.filter, fieldsOf(args));
    return {
      summary: `${counted(shown.length, 'result')}.${truncated ? ' There are more.' : ''}${sentence}`,
      data: { results: shown, truncated, ...(tooLarge > 0 && { too_large: tooLarge }), ...hints },
    };
  }
}

/** True for the result of an aggregation over no records, or over a field that no record has. */
function isOfNothing(result: object): boolean {
  return Object.values(result).every(value => value === 0 || value === null);
}

function fieldsOf({ steps, group_by }: AggregateArguments): string[] {
  const inputs = steps.map(({ input_field }) => input_field);
  const groups = [group_by].flat().map(entry => (isJsonObject(entry) ? entry.field : entry));
  return [...inputs, ...groups].filter(field => typeof field === 'string');
}
