import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { invalid } from '../../../base/kernel/errors.js';
import { JsonField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { InsertRecords } from '../../records/insert-records.service.js';
import {
  InsertedView,
  InsertRecordsBody,
  UpdatedRecordsView,
  UpdateRecordsBody,
  UpsertedView,
  UpsertRecordBody,
} from '../../records/records.dto.js';
import { UpdateRecords } from '../../records/update-records.service.js';
import { UpsertRecords } from '../../records/upsert-records.service.js';
import { EmptyResults } from '../empty-results.service.js';
import { CollectionIdField, CollectionTool, HintsField, RecordIdField, type ToolInfo } from './tool.js';
import { beginningOf, counted, ResultBudget, type ToolAnswer } from './tool-answer.js';

class InsertArguments extends InsertRecordsBody {
  @CollectionIdField()
  collection_id: string;
}

class InsertAnswer extends InsertedView {
  @ApiProperty({ description: 'Not all ids are shown; all records were inserted.' }) truncated: boolean;
}

@Injectable()
export class DataInsertTool extends CollectionTool<InsertArguments> {
  readonly info: ToolInfo = {
    name: 'data_insert',
    title: 'Insert records',
    description:
      'Inserts one record or up to 1,000, all or nothing. Values must fit the types of their columns.',
  };
  readonly arguments = InsertArguments;
  readonly answer = InsertAnswer;
  readonly right = 'write';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly writer: InsertRecords,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: InsertArguments): Promise<ToolAnswer> {
    const { inserted_count, ids } = await this.writer.insert(call, access, args);
    const shown = beginningOf(ids, this.budget.list);
    return {
      summary: `${counted(inserted_count, 'record')} inserted.`,
      data: { inserted_count, ids: shown, truncated: shown.length < ids.length },
    };
  }
}

class UpdateArguments extends UpdateRecordsBody {
  @CollectionIdField()
  collection_id: string;

  @RecordIdField({ optional: true, description: 'The `_id` of the record to change; or send filter.' })
  record_id?: string;

  @JsonField({
    optional: true,
    description: 'MongoDB-style filter of the records to change; needs max_affected.',
    example: { status: 'open' },
  })
  override filter: unknown = undefined;
}

class UpdateAnswer extends UpdatedRecordsView {
  @HintsField()
  hints?: string[];
}

@Injectable()
export class DataUpdateTool extends CollectionTool<UpdateArguments> {
  readonly info: ToolInfo = {
    name: 'data_update',
    title: 'Change records',
    description:
      'Changes one record (record_id) or all that a filter matches (filter and max_affected: when more match, nothing ' +
      'is written). update: fields to set, or $set $unset $inc $mul $min $max $rename $push $addToSet $pull $pop. ' +
      'With dry_run: true it only says how many would change.',
    destructive: true,
  };
  readonly arguments = UpdateArguments;
  readonly answer = UpdateAnswer;
  readonly right = 'write';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly changer: UpdateRecords,
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpdateArguments): Promise<ToolAnswer> {
    assertOneTarget(args);
    const data =
      args.record_id === undefined
        ? await this.changer.updateMany(call, access, args)
        : await this.changer.update(call, access, args.record_id, args.update);
    const would = args.dry_run === true ? 'would be' : 'were';
    const isEmpty = data.matched_count === 0;
    const { sentence, data: hints } = await this.empty.explain(isEmpty, access, args.filter);
    return {
      summary: `${counted(data.matched_count, 'matching record')}, ${data.updated_count} ${would} changed.${sentence}`,
      data: { ...data, ...hints },
    };
  }
}

class UpsertArguments extends UpsertRecordBody {
  @CollectionIdField()
  collection_id: string;
}

@Injectable()
export class DataUpsertTool extends CollectionTool<UpsertArguments> {
  readonly info: ToolInfo = {
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
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly upserter: UpsertRecords,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpsertArguments): Promise<ToolAnswer> {
    const data = await this.upserter.upsert(call, access, args);
    return { summary: data.result.inserted ? 'The record was inserted.' : 'The record was updated.', data };
  }
}

/** The records of a write: one by its id, or those that match a filter. */
interface WriteTarget {
  readonly record_id?: string;
  readonly filter?: unknown;
  readonly max_affected?: number;
  readonly dry_run?: boolean;
}

/** Throws 400 unless there is exactly one of `record_id` and `filter`, and `max_affected` with a filter. */
export function assertOneTarget({ record_id, filter, max_affected, dry_run }: WriteTarget): void {
  if ((record_id === undefined) === (filter === undefined)) throw invalid('Send either record_id or filter.');
  if (filter !== undefined && max_affected === undefined && dry_run !== true) {
    throw invalid(
      'max_affected: is required with filter. Send the largest number of records that may be changed.',
    );
  }
  if (record_id !== undefined && (max_affected !== undefined || dry_run === true)) {
    throw invalid('max_affected and dry_run need filter instead of record_id.');
  }
}
