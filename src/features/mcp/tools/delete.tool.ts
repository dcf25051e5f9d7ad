import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { invalid } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { JsonField, TextField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { DeleteRecords } from '../../records/delete-records.service.js';
import { DeletedRecordsView, DeletedRecordView, DeleteRecordsBody } from '../../records/records.dto.js';
import type { Documented } from '../protocol/json-schema.js';
import { type DryRun, DryRunTokens } from './dry-run-tokens.js';
import {
  CollectionArguments,
  CollectionIdField,
  CollectionTool,
  RecordIdField,
  type ToolInfo,
} from './tool.js';
import { counted, type ToolAnswer } from './tool-answer.js';
import { assertOneTarget } from './write.tools.js';

/** The arguments when the setting ALLOW_BULK_DELETE is off. */
class DeleteOneArguments extends CollectionArguments {
  @RecordIdField({ description: 'The `_id` of the record to delete.' })
  record_id: string;
}

class DeleteArguments extends DeleteRecordsBody {
  @CollectionIdField()
  collection_id: string;

  @RecordIdField({ optional: true, description: 'The `_id` of the record to delete; or send filter.' })
  record_id?: string;

  @JsonField({
    optional: true,
    description: 'MongoDB-style filter of the records to delete; needs max_affected.',
    example: { status: 'closed' },
  })
  override filter: unknown = undefined;

  @TextField({
    optional: true,
    max: 1000,
    description: 'To delete more than one record: what the same call with dry_run: true answered.',
  })
  dry_run_token?: string;
}

class DeleteAnswer extends DeletedRecordsView {
  @ApiProperty({ required: false, description: 'Send it to do what the dry run showed; it works once.' })
  dry_run_token?: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'Until when the token counts.' })
  expires_at?: string;
}

const INFO = { name: 'data_delete', title: 'Delete records', destructive: true } as const;

const DELETES_ONE = 'Deletes one record by its _id. Deleting by a filter is switched off on this service.';
const DELETES_MANY =
  'Deletes one record (record_id), or those that a filter matches (filter and max_affected). To delete more than one, ' +
  'first call with dry_run: true, then again with the dry_run_token it gave: the token counts for five minutes, once, ' +
  'for this filter, and only if it matches the same records.';

@Injectable()
export class DataDeleteTool extends CollectionTool<DeleteArguments> {
  readonly info: ToolInfo;
  readonly arguments: Documented<DeleteArguments>;
  readonly answer: Documented;
  readonly right = 'write';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly remover: DeleteRecords,
    private readonly tokens: DryRunTokens,
    { ALLOW_BULK_DELETE: many }: Settings,
  ) {
    super(accesses);
    this.info = { ...INFO, description: many ? DELETES_MANY : DELETES_ONE };
    // DeleteOneArguments requires record_id, so assertOneTarget passes.
    this.arguments = many ? DeleteArguments : (DeleteOneArguments as Documented<DeleteArguments>);
    this.answer = many ? DeleteAnswer : DeletedRecordView;
  }

  protected async act(call: Call, access: Access, args: DeleteArguments): Promise<ToolAnswer> {
    assertOneTarget(args);
    if (args.record_id !== undefined) {
      return deleted(await this.remover.delete(call, access, args.record_id));
    }
    const dryRun: DryRun = {
      principal: call.principal,
      orgId: access.membership.orgId,
      collectionId: access.collection.id,
      tool: this.info.name,
      asked: { filter: args.filter },
    };
    return args.dry_run === true
      ? this.dryRun(access, args, dryRun)
      : deleted(await this.deleteMany(call, access, args, dryRun));
  }

  private async dryRun(access: Access, args: DeleteArguments, dryRun: DryRun): Promise<ToolAnswer> {
    const { count, fingerprint } = await this.remover.deletable(access, args);
    const { token, expiresAt } = this.tokens.issue(dryRun, count, fingerprint);
    return {
      summary: `${counted(count, 'record')} would be deleted. Nothing was deleted.`,
      data: {
        deleted_count: count,
        dry_run: true,
        dry_run_token: token,
        expires_at: expiresAt.toISOString(),
      },
    };
  }

  private async deleteMany(
    call: Call,
    access: Access,
    { dry_run_token, ...body }: DeleteArguments,
    dryRun: DryRun,
  ): Promise<DeletedRecordsView> {
    const most = body.max_affected as number;
    if (dry_run_token === undefined) {
      if (most <= 1) return this.remover.deleteMany(call, access, body);
      throw invalid(
        'dry_run_token: is required to delete more than one record. Call with dry_run: true first.',
      );
    }
    return this.tokens.spend(call, dryRun, dry_run_token, (once, { count, fingerprint }) =>
      this.remover.deleteMany(once, access, { ...body, max_affected: Math.min(most, count) }, fingerprint),
    );
  }
}

function deleted(data: DeletedRecordsView): ToolAnswer {
  return { summary: `${counted(data.deleted_count, 'record')} deleted.`, data };
}
