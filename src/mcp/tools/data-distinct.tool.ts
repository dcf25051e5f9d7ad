import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DistinctValuesQuery, DistinctView } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { IntegerField } from '../../http/field.decorators.js';
import type { Call } from '../../kernel/call.js';
import { MAX_DISTINCT } from '../../storage/distinct.js';
import { FilterField } from '../filter.field.js';
import { EmptyResults, NOTHING_TO_EXPLAIN } from '../hints/empty-results.service.js';
import { HintsField } from '../hints/hints.field.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { counted, sheet, type ToolAnswer } from '../tool-answer.js';

class DistinctArguments extends DistinctValuesQuery {
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
export class DataDistinctTool extends CollectionTool<DistinctArguments> {
  readonly face: ToolFace = {
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
  readonly right = 'read';

  constructor(
    accesses: CollectionAccess,
    private readonly analytics: Analytics,
    private readonly budget: ResultBudget,
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: DistinctArguments): Promise<ToolAnswer> {
    const { field, offset } = args;
    const maxBytes = this.budget.list - Buffer.byteLength(field);
    const part = await this.analytics.distinctPart(access, args, { offset, maxBytes });
    const found = part.map(each => each?.[0]);
    const { shown, tooLarge, taken } = sheet(found.slice(0, MAX_DISTINCT), maxBytes);
    const next = taken < found.length ? offset + taken : null;
    const more = next === null ? 'There are no more.' : 'There are more: go on with next_offset.';
    const isEmpty = found.length === 0 && offset === 0;
    const { sentence, data: hints } = isEmpty
      ? await this.empty.explain(access, args.filter, [field])
      : NOTHING_TO_EXPLAIN;
    return {
      summary: `${counted(shown.length, 'value')}. ${more}${sentence}`,
      data: {
        ...{ field, count: shown.length, values: shown },
        ...{ truncated: next !== null || tooLarge > 0, next_offset: next },
        ...(tooLarge > 0 && { too_large: tooLarge }),
        ...hints,
      },
    };
  }
}
