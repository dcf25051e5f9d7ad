import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DistinctValuesQuery, DistinctView } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { MAX_DISTINCT } from '../../storage/distinct.js';
import { FilterField } from '../filter.field.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { cut, type ToolAnswer } from '../tool-answer.js';

class DistinctArguments extends DistinctValuesQuery {
  @CollectionIdField()
  collection_id: string;

  @FilterField()
  override filter: unknown = undefined;
}

class DistinctAnswer extends DistinctView {
  @ApiProperty({ description: 'There may be more values: narrow the filter.' }) truncated: boolean;
}

@Injectable()
export class DataDistinctTool extends CollectionTool<DistinctArguments> {
  readonly face: ToolFace = {
    name: 'data_distinct',
    title: 'Distinct values',
    description: 'The distinct values of a field, at most 1,000; elements of arrays one by one.',
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
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: DistinctArguments): Promise<ToolAnswer> {
    const { text } = await this.analytics.distinct(access, args);
    const { field, values: all }: DistinctView = JSON.parse(text);
    const values = cut(all, this.budget.list - Buffer.byteLength(field));
    const truncated = values.length < all.length || all.length === MAX_DISTINCT;
    return {
      summary: `${values.length} values.${truncated ? ' There may be more.' : ''}`,
      data: { field, count: values.length, values, truncated },
    };
  }
}
