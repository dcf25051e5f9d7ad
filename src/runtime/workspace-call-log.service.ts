import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import type { Call } from '../kernel/call.js';
import { WorkspaceRefusal } from '../workspaces/workspace-access.js';
import type { WorkspaceRow } from '../workspaces/workspace-rows.js';
import type { CallWorkspaceBody } from './call.dto.js';

/** A call as it was asked for: by whom, and as which workspace it reaches the target. */
export interface AskedCall {
  readonly call: Call;
  readonly asWorkspace: Call;
  readonly from: WorkspaceRow;
  readonly wanted: CallWorkspaceBody;
}

/** Calls in the logs of both sides: who had the call made, and which workspace it came from. */
@Injectable()
export class WorkspaceCallLog {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  made(asked: AskedCall, to: WorkspaceRow): Promise<void> {
    return this.record(asked, to, ['workspaces.calls.made', 'workspaces.calls.received']);
  }

  /** The target's log knows of it where the target knows the workspace: strangers must not be able to fill it. */
  refused(asked: AskedCall, refusal: unknown): Promise<void> {
    const to = refusal instanceof WorkspaceRefusal ? refusal.workspace : undefined;
    return this.record(asked, to, ['workspaces.calls.refused', 'workspaces.calls.refused']);
  }

  private record(
    { call, asWorkspace, from, wanted: { target, method, path } }: AskedCall,
    to: WorkspaceRow | undefined,
    [sent, received]: readonly [string, string],
  ): Promise<void> {
    const entry = {
      target: { type: 'workspace', id: to?.id ?? target, ...(to !== undefined && { name: to.slug }) },
      changes: { after: { method, path, sourceWorkspaceId: from.id } },
    };
    return this.source.transaction(async manager => {
      await this.audit.record(manager, call, from.orgId, { type: sent, ...entry });
      if (to === undefined) return;
      await this.audit.record(manager, asWorkspace, to.orgId, { type: received, ...entry });
    });
  }
}
