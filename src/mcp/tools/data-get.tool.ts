import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { RecordReader } from '../../records/record-reader.service.js';
import { RecordIdField } from '../record-id.field.js';
import { recordSheet } from '../record-sheet.js';
import { ResultBudget } from '../result-budget.js';
import { CollectionArguments, CollectionTool, type ToolFace } from '../tool.js';
import type { ToolAnswer } from '../tool-answer.js';

class GetArguments extends CollectionArguments {
  @RecordIdField()
  record_id: string;
}

class GetAnswer {
  @ApiProperty() found: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true }) record: object;

  @ApiProperty({ description: 'Only the id is shown; read some fields with data_query and `fields`.' })
  truncated: boolean;
}

@Injectable()
export class DataGetTool extends CollectionTool<GetArguments> {
  readonly face: ToolFace = {
    name: 'data_get',
    title: 'Read one record',
    description: 'Reads one record by its _id.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = GetArguments;
  readonly answer = GetAnswer;
  readonly right = 'read';

  constructor(
    accesses: CollectionAccess,
    private readonly reader: RecordReader,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(_: Call, access: Access, { record_id }: GetArguments): Promise<ToolAnswer> {
    const { text } = await this.reader.get(access, record_id);
    const { record } = JSON.parse(text);
    const { records, too_large } = recordSheet([JSON.stringify(record)], this.budget.list);
    return {
      summary: too_large ? 'The record is too large to be shown whole.' : 'The record.',
      data: { found: true, record: records[0], truncated: too_large !== undefined },
    };
  }
}
