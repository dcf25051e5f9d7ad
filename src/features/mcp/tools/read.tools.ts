import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { JsonText } from '../../../base/kernel/json.js';
import { FlagField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { SearchedRecords, WITH_AUTHORS } from '../../records/query/query-records.dto.js';
import { QueryRecords } from '../../records/query/query-records.service.js';
import { EmptyResults } from '../empty-results.service.js';
import {
  CollectionArguments,
  CollectionIdField,
  CollectionTool,
  HintsField,
  RecordIdField,
  type ToolInfo,
} from './tool.js';
import { counted, ResultBudget, shownRecords, type ToolAnswer, withTexts } from './tool-answer.js';

class QueryArguments extends SearchedRecords {
  @CollectionIdField()
  collection_id: string;
}

class QueryAnswer {
  @ApiProperty({ type: 'integer', description: 'Records in this answer.' }) count: number;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) records: object[];

  @ApiProperty({ type: 'integer', required: false, description: 'With with_total: all matching records.' })
  total?: number;

  @ApiProperty({ description: 'More records match: send next_cursor as cursor, and the rest as it was.' })
  truncated: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Where to go on; null at the end.' })
  next_cursor: string | null;

  @ApiProperty({
    type: [String],
    required: false,
    description: 'Records of which only the ids are shown; read some of their fields with `fields`.',
  })
  too_large?: string[];

  @HintsField()
  hints?: string[];
}

@Injectable()
export class DataQueryTool extends CollectionTool<QueryArguments> {
  readonly info: ToolInfo = {
    name: 'data_query',
    title: 'Query records',
    description:
      'Finds records by a MongoDB-style filter ($eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $regex ' +
      '$elemMatch $size $search …), sorted, at most 100 at once. Ask only for the fields you need. When truncated is ' +
      'true, go on with next_cursor.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = QueryArguments;
  readonly answer = QueryAnswer;
  readonly right = 'read';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly reader: QueryRecords,
    private readonly budget: ResultBudget,
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, args: QueryArguments): Promise<ToolAnswer> {
    const page = await this.reader.queryWithin(access, args, this.budget.list);
    const { texts, tooLarge } = shownRecords(page.records, this.budget.list);
    const more = page.next === null ? 'There are no more.' : 'There are more: go on with next_cursor.';
    const isEmpty = texts.length === 0 && !args.cursor;
    const { sentence, data: hints } = await this.empty.explain(isEmpty, access, args.filter);
    return {
      summary: `${counted(texts.length, 'record')}. ${more}${sentence}`,
      data: withTexts(
        {
          count: texts.length,
          ...(page.total !== undefined && { total: page.total }),
          truncated: page.next !== null,
          next_cursor: page.next,
          ...(tooLarge.length > 0 && { too_large: tooLarge }),
          ...hints,
        },
        'records',
        texts,
      ),
    };
  }
}

class GetArguments extends CollectionArguments {
  @RecordIdField()
  record_id: string;

  @FlagField(WITH_AUTHORS)
  with_authors?: boolean;
}

class GetAnswer {
  @ApiProperty() found: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true }) record: object;

  @ApiProperty({ description: 'Only the id is shown; read some fields with data_query and `fields`.' })
  truncated: boolean;
}

@Injectable()
export class DataGetTool extends CollectionTool<GetArguments> {
  readonly info: ToolInfo = {
    name: 'data_get',
    title: 'Read one record',
    description: 'Reads one record by its _id.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = GetArguments;
  readonly answer = GetAnswer;
  readonly right = 'read';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly reader: QueryRecords,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(
    _: Call,
    access: Access,
    { record_id, with_authors }: GetArguments,
  ): Promise<ToolAnswer> {
    const { text } = await this.reader.get(access, record_id, { with_authors });
    const { record } = JSON.parse(text);
    const { texts, tooLarge } = shownRecords([JSON.stringify(record)], this.budget.list);
    const truncated = tooLarge.length > 0;
    return {
      summary: truncated ? 'The record is too large to be shown whole.' : 'The record.',
      data: new JsonText(`{"found":true,"record":${texts[0]},"truncated":${truncated}}`),
    };
  }
}
