import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { AggregateRecordsBody, AggregateView } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { MAX_LIMIT } from '../../kernel/page.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { sheet, type ToolAnswer } from '../tool-answer.js';

class AggregateArguments extends AggregateRecordsBody {
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
}

@Injectable()
export class DataAggregateTool extends CollectionTool<AggregateArguments> {
  readonly face: ToolFace = {
    name: 'data_aggregate',
    title: 'Sum, average, count by group',
    description:
      'Computes sum, avg, count, min and max over the records that a filter matches, grouped by up to 5 fields. At ' +
      'most 100 groups are shown. Use this instead of reading records to add them up.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = AggregateArguments;
  readonly answer = AggregateAnswer;
  readonly right = 'read';

  constructor(
    accesses: CollectionAccess,
    private readonly analytics: Analytics,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: AggregateArguments): Promise<ToolAnswer> {
    const wanted = Math.min(args.limit ?? Number.POSITIVE_INFINITY, MAX_LIMIT + 1);
    const { text } = await this.analytics.aggregate(access, { ...args, limit: wanted });
    const all: object[] = JSON.parse(text).results;
    const { shown, tooLarge } = sheet(all.slice(0, MAX_LIMIT), this.budget.list);
    const truncated = shown.length < all.length;
    return {
      summary: `${shown.length} results.${truncated ? ' There are more.' : ''}`,
      data: { results: shown, truncated, ...(tooLarge > 0 && { too_large: tooLarge }) },
    };
  }
}
