import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Call } from '../../kernel/call.js';
import { UpsertedView, UpsertRecordBody } from '../../records/record-changes.dto.js';
import { RecordUpserter } from '../../records/record-upserter.service.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import type { ToolAnswer } from '../tool-answer.js';

class UpsertArguments extends UpsertRecordBody {
  @CollectionIdField()
  collection_id: string;
}

@Injectable()
export class DataUpsertTool extends CollectionTool<UpsertArguments> {
  readonly face: ToolFace = {
    name: 'data_upsert',
    title: 'Insert or change a record',
    description:
      'Changes the record whose match_fields have the values in data, or inserts it when there is none. Safe to use ' +
      'for many writers at once.',
    destructive: true,
  };
  readonly arguments = UpsertArguments;
  readonly answer = UpsertedView;
  readonly right = 'write';

  constructor(
    accesses: CollectionAccess,
    private readonly upserter: RecordUpserter,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpsertArguments): Promise<ToolAnswer> {
    const data = await this.upserter.upsert(call, access, args);
    return { summary: data.result.inserted ? 'The record was inserted.' : 'The record was there.', data };
  }
}
