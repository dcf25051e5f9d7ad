import { Injectable } from '@nestjs/common';
import { CountRecordsQuery, CountView } from '../../analytics/analytics.dto.js';
import { Analytics } from '../../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { FilterField } from '../filter.field.js';
import { EmptyResults, NOTHING_TO_EXPLAIN } from '../hints/empty-results.service.js';
import { HintsField } from '../hints/hints.field.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import type { ToolAnswer } from '../tool-answer.js';

class CountArguments extends CountRecordsQuery {
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
export class DataCountTool extends CollectionTool<CountArguments> {
  readonly face: ToolFace = {
    name: 'data_count',
    title: 'Count records',
    description: 'Counts the records that a MongoDB-style filter matches, exactly; without a filter, all.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = CountArguments;
  readonly answer = CountAnswer;
  readonly right = 'read';

  constructor(
    accesses: CollectionAccess,
    private readonly analytics: Analytics,
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: CountArguments): Promise<ToolAnswer> {
    const data = await this.analytics.count(access, args);
    const { sentence, data: hints } =
      data.count === 0 ? await this.empty.explain(access, args.filter) : NOTHING_TO_EXPLAIN;
    const matching = data.count === 1 ? '1 record matches.' : `${data.count} records match.`;
    return { summary: `${matching}${sentence}`, data: { ...data, ...hints } };
  }
}
