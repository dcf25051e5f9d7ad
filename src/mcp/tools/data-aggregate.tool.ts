import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { AggregateRecordsBody, AggregateView } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { MAX_LIMIT } from '../../kernel/page.js';
import { EmptyResults, NOTHING_TO_EXPLAIN } from '../hints/empty-results.service.js';
import { HintsField } from '../hints/hints.field.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { counted, sheet, type ToolAnswer } from '../tool-answer.js';

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

  @HintsField()
  hints?: string[];
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
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: AggregateArguments): Promise<ToolAnswer> {
    const wanted = Math.min(args.limit ?? Number.POSITIVE_INFINITY, MAX_LIMIT + 1);
    const { text } = await this.analytics.aggregate(access, { ...args, limit: wanted });
    const all: object[] = JSON.parse(text).results;
    const { shown, tooLarge } = sheet(all.slice(0, MAX_LIMIT), this.budget.list);
    const truncated = shown.length < all.length;
    const { sentence, data: hints } = all.every(isOfNothing)
      ? await this.empty.explain(access, args.filter, fieldsOf(args))
      : NOTHING_TO_EXPLAIN;
    return {
      summary: `${counted(shown.length, 'result')}.${truncated ? ' There are more.' : ''}${sentence}`,
      data: { results: shown, truncated, ...(tooLarge > 0 && { too_large: tooLarge }), ...hints },
    };
  }
}

/** What an aggregation without groups makes of no record or of a field that no record has. */
function isOfNothing(result: object): boolean {
  return Object.values(result).every(value => value === 0 || value === null);
}

function fieldsOf({ steps, group_by }: AggregateArguments): string[] {
  const inputs = steps.map(({ input_field }) => input_field);
  return [...inputs, ...[group_by].flat()].filter(field => typeof field === 'string');
}
