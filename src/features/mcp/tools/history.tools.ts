import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { invalid } from '../../../base/kernel/errors.js';
import { TextField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { RecordHistoryView, RecordVersionsQuery } from '../../history/history.dto.js';
import { RecordHistory } from '../../history/record-history.service.js';
import { UndoneView, UndoWritesBody } from '../../history/undo.dto.js';
import { UndoWrites } from '../../history/undo-writes.service.js';
import { DryRunTokens } from './dry-run-tokens.js';
import { CollectionIdField, CollectionTool, RecordIdField, type ToolInfo } from './tool.js';
import { beginningOf, counted, ResultBudget, shownVersions, type ToolAnswer } from './tool-answer.js';

class HistoryArguments extends RecordVersionsQuery {
  @CollectionIdField()
  collection_id: string;

  @RecordIdField({ description: 'The `_id` of the record, which may be deleted.' })
  record_id: string;
}

class HistoryAnswer extends RecordHistoryView {
  @ApiProperty({
    type: [Number],
    required: false,
    description:
      'Versions whose record shows only its system fields. Their changed may have only the first names.',
  })
  too_large?: number[];
}

@Injectable()
export class DataHistoryTool extends CollectionTool<HistoryArguments> {
  readonly info: ToolInfo = {
    name: 'data_history',
    title: 'Read the versions of a record',
    description:
      'Lists what a record was, the newest version first, also of a deleted record: each version with who wrote it, the ' +
      'fields that changed, and the event_id of the write, which data_undo takes.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = HistoryArguments;
  readonly answer = HistoryAnswer;
  readonly right = 'read';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly history: RecordHistory,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(
    _: Call,
    access: Access,
    { record_id, limit, cursor }: HistoryArguments,
  ): Promise<ToolAnswer> {
    const query: RecordVersionsQuery = { limit, ...(cursor !== undefined && { cursor }) };
    const { items, next } = await this.history.page(access, record_id, query, this.budget.list);
    // The cursor continues after the last version that fits, so that the next call returns the others.
    const shown = shownVersions(items, this.budget.list);
    const next_cursor = next(shown.items.length);
    const more = next_cursor === null ? '' : ' There are older ones: go on with next_cursor.';
    return {
      summary: `${counted(shown.items.length, 'version')}, the newest first.${more}`,
      data: { ...shown, next_cursor },
    };
  }
}

class UndoArguments extends UndoWritesBody {
  @CollectionIdField()
  collection_id: string;

  @TextField({ optional: true, max: 1000, description: 'What the same call with dry_run: true answered.' })
  dry_run_token?: string;
}

class UndoAnswer extends UndoneView {
  @ApiProperty({ required: false, description: 'Send it to do what the dry run showed; it works once.' })
  dry_run_token?: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'Until when the token counts.' })
  expires_at?: string;
}

@Injectable()
export class DataUndoTool extends CollectionTool<UndoArguments> {
  readonly info: ToolInfo = {
    name: 'data_undo',
    title: 'Undo writes',
    description:
      'Puts back what writes replaced, and deletes what they inserted: by event_ids (from data_history), by the ' +
      'correlation_id of a request, or all writes of an actor since an instant. Only your own writes, unless you are an ' +
      'admin. First call with dry_run: true, then again with the dry_run_token it gave: the token counts for five ' +
      'minutes, once, for these arguments, and only if the undo would still write what it showed. Records written since are ' +
      'conflicts: on_conflict stop writes nothing, skip leaves them, force discards the later writes, also those of others.',
    destructive: true,
  };
  readonly arguments = UndoArguments;
  readonly answer = UndoAnswer;
  readonly right = 'write';
  readonly versionCheck = true;

  constructor(
    accesses: CollectionAccess,
    private readonly undoing: UndoWrites,
    private readonly tokens: DryRunTokens,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UndoArguments): Promise<ToolAnswer> {
    const { dry_run, dry_run_token, event_ids, correlation_id, actor, since, until, on_conflict } = args;
    // A token is valid only for arguments with their members in the same order.
    const who = actor && { type: actor.type, id: actor.id };
    const asked = { event_ids, correlation_id, actor: who, since, until, on_conflict };
    const dryRun = {
      principal: call.principal,
      orgId: access.membership.orgId,
      collectionId: access.collection.id,
      tool: this.info.name,
      asked,
    };
    if (dry_run === true) {
      const { view: data, fingerprint } = await this.undoing.undoable(call, access, asked);
      const found = `${counted(data.undone, 'record')} would be put back, ${counted(data.conflicts.length, 'conflict')}. Nothing was written.`;
      if (data.undone === 0) return { summary: found, data: this.shown(data) };
      const { token, expiresAt } = this.tokens.issue(dryRun, data.undone, fingerprint);
      return {
        summary: found,
        data: { ...this.shown(data), dry_run_token: token, expires_at: expiresAt.toISOString() },
      };
    }
    if (dry_run_token === undefined)
      throw invalid('dry_run_token: is required. Call with dry_run: true first.');
    const data = await this.tokens.spend(call, dryRun, dry_run_token, (once, { fingerprint }) =>
      this.undoing.undo(once, access, asked, fingerprint),
    );
    return {
      summary: `${counted(data.undone, 'record')} put back, ${data.skipped} skipped.`,
      data: this.shown(data),
    };
  }

  /** The answer with as many conflicts as fit. */
  private shown(data: UndoneView): UndoneView {
    return { ...data, conflicts: beginningOf(data.conflicts, this.budget.list / 2) };
  }
}
