import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { JsonField } from '../../http/field.decorators.js';
import type { Call } from '../../kernel/call.js';
import { RecordChanger } from '../../records/record-changer.service.js';
import { UpdatedRecordsView, UpdateRecordsBody } from '../../records/record-changes.dto.js';
import { refuseVagueAim } from '../filtered.js';
import { EmptyResults, NOTHING_TO_EXPLAIN } from '../hints/empty-results.service.js';
import { HintsField } from '../hints/hints.field.js';
import { RecordIdField } from '../record-id.field.js';
import { CollectionIdField, CollectionTool, type ToolFace } from '../tool.js';
import { counted, type ToolAnswer } from '../tool-answer.js';

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
  readonly face: ToolFace = {
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

  constructor(
    accesses: CollectionAccess,
    private readonly changer: RecordChanger,
    private readonly empty: EmptyResults,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpdateArguments): Promise<ToolAnswer> {
    refuseVagueAim(args);
    const data =
      args.record_id === undefined
        ? await this.changer.updateMany(call, access, args)
        : await this.changer.update(call, access, args.record_id, args.update);
    const would = args.dry_run === true ? 'would be' : 'were';
    const { sentence, data: hints } =
      data.matched_count === 0 ? await this.empty.explain(access, args.filter) : NOTHING_TO_EXPLAIN;
    return {
      summary: `${counted(data.matched_count, 'matching record')}, ${data.updated_count} ${would} changed.${sentence}`,
      data: { ...data, ...hints },
    };
  }
}
