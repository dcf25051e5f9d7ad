import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { Secrets } from '../../config/secrets.js';
import { Settings } from '../../config/settings.js';
import { JsonField, TextField } from '../../http/field.decorators.js';
import { retryCaller } from '../../idempotency/idempotency.step.js';
import { digestOf } from '../../idempotency/request-digest.js';
import type { Call, Retry } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { sqlState } from '../../kernel/sql-state.js';
import { DeleteRecords } from '../../records/delete-records.service.js';
import { DeletedRecordsView, DeletedRecordView, DeleteRecordsBody } from '../../records/records.dto.js';
import type { Documented } from '../protocol/json-schema.js';
import {
  CollectionArguments,
  CollectionIdField,
  CollectionTool,
  RecordIdField,
  type ToolInfo,
} from './tool.js';
import { counted, type ToolAnswer } from './tool-answer.js';
import { assertOneTarget } from './write.tools.js';

const LIFETIME_MS = 5 * 60_000;

/** The caller and the deletion that a token is valid for. */
export interface DryRun {
  readonly principal: Principal;
  readonly orgId: string;
  readonly collectionId: string;
  readonly filter: unknown;
}

/** The signed content of a token. */
interface Claims {
  readonly id: string;
  /** The number of records that the dry run found. */
  readonly count: number;
  readonly expiresAt: number;
}

/**
 * Tokens that prove that the caller has just seen how many records it would delete. A token is signed together with the
 * caller, the collection and the filter, and stored only when it is used: the deletion marks it as used in its own
 * transaction.
 */
@Injectable()
export class DryRunTokens {
  private readonly key: Buffer;

  constructor(
    secrets: Secrets,
    private readonly clock: Clock,
  ) {
    this.key = secrets.derive('mcp-dry-run');
  }

  issue(dryRun: DryRun, count: number): { token: string; expiresAt: Date } {
    const expiresAt = this.clock.now().getTime() + LIFETIME_MS;
    const claims: Claims = { id: randomUUID(), count, expiresAt };
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return { token: `${body}.${this.sign(body, dryRun)}`, expiresAt: new Date(expiresAt) };
  }

  /** Throws 400 for a token of another caller, collection or filter, and for one that was altered or has expired. */
  open(token: string, dryRun: DryRun): Claims {
    const [body = '', signature = ''] = token.split('.');
    const [sent, own] = [Buffer.from(signature), Buffer.from(this.sign(body, dryRun))];
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) {
      throw invalid('dry_run_token: is not a token that you received for this collection and filter');
    }
    const claims: Claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (claims.expiresAt <= this.clock.now().getTime()) {
      throw invalid('dry_run_token: has expired. Call again with dry_run: true.');
    }
    return claims;
  }

  /** Makes the token work once, as an idempotency key that no client can send because it contains spaces. */
  spending({ id }: Claims, { principal, orgId, collectionId, filter }: DryRun): Retry {
    const digest = digestOf('data_delete', collectionId, { filter });
    return {
      orgId,
      caller: retryCaller(principal),
      key: `dry run ${id}`,
      digest,
      status: 200,
      encrypt: text => text,
    };
  }

  private sign(body: string, { principal, collectionId, filter }: DryRun): string {
    const bound = JSON.stringify([body, retryCaller(principal), collectionId, filter]);
    return createHmac('sha256', this.key).update(bound).digest('base64url');
  }
}

/** SQLSTATEs of `claim_idempotency_key`: the key was used before. */
const SPENT = ['IK001', 'IK002'];

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
  'for this filter, and no more records than it showed are deleted.';

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
      filter: args.filter,
    };
    return args.dry_run === true
      ? this.dryRun(call, access, args, dryRun)
      : deleted(await this.deleteMany(call, access, args, dryRun));
  }

  private async dryRun(
    call: Call,
    access: Access,
    args: DeleteArguments,
    dryRun: DryRun,
  ): Promise<ToolAnswer> {
    const data = await this.remover.deleteMany(call, access, args);
    const { token, expiresAt } = this.tokens.issue(dryRun, data.deleted_count);
    return {
      summary: `${counted(data.deleted_count, 'record')} would be deleted. Nothing was deleted.`,
      data: { ...data, dry_run_token: token, expires_at: expiresAt.toISOString() },
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
    const claims = this.tokens.open(dry_run_token, dryRun);
    const max_affected = Math.min(most, claims.count);
    const once: Call = { ...call, retry: this.tokens.spending(claims, dryRun) };
    try {
      return await this.remover.deleteMany(once, access, { ...body, max_affected });
    } catch (error) {
      if (!SPENT.includes(sqlState(error) ?? '')) throw error;
      throw invalid('dry_run_token: was used already. Call again with dry_run: true.');
    }
  }
}

function deleted(data: DeletedRecordsView): ToolAnswer {
  return { summary: `${counted(data.deleted_count, 'record')} deleted.`, data };
}
