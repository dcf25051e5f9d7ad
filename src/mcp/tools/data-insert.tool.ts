import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { RecordWriter } from '../../records/record-writer.service.js';
import { InsertedView, InsertRecordsBody } from '../../records/records.dto.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { counted, cut, type ToolAnswer } from '../tool-answer.js';

class InsertArguments extends InsertRecordsBody {
  @CollectionIdField()
  collection_id: string;
}

class InsertAnswer extends InsertedView {
  @ApiProperty({ description: 'Not all ids are shown; all records were inserted.' }) truncated: boolean;
}

@Injectable()
export class DataInsertTool extends CollectionTool<InsertArguments> {
  readonly face: ToolFace = {
    name: 'data_insert',
    title: 'Insert records',
    description:
      'Inserts one record or up to 1,000, all or nothing. Values must fit the types of their columns.',
  };
  readonly arguments = InsertArguments;
  readonly answer = InsertAnswer;
  readonly right = 'write';

  constructor(
    accesses: CollectionAccess,
    private readonly writer: RecordWriter,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: InsertArguments): Promise<ToolAnswer> {
    const { inserted_count, ids } = await this.writer.insert(call, access, args);
    const shown = cut(ids, this.budget.list);
    return {
      summary: `${counted(inserted_count, 'record')} inserted.`,
      data: { inserted_count, ids: shown, truncated: shown.length < ids.length },
    };
  }
}
