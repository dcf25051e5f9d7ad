import { Injectable } from '@nestjs/common';
import { type Check, type Route, WorkspaceStep } from '../http/access/access-step.js';
import { callOf } from '../http/platform-request.js';
import { PlatformError } from '../kernel/errors.js';
import { WorkspaceAccesses } from './workspace-access.js';

/** Enforces `@Requires({ workspace })`: 404 before 403, both before the body is read. */
@Injectable()
export class WorkspaceRequirements extends WorkspaceStep {
  constructor(private readonly accesses: WorkspaceAccesses) {
    super();
  }

  checkFor({ requirement }: Route): Check | undefined {
    if (!('workspace' in requirement)) return undefined;
    const { workspace: right } = requirement;
    return request => {
      const call = callOf(request);
      if (call.principal.collectionId !== undefined) {
        throw new PlatformError('Forbidden', 'A collection key reaches only its collection.');
      }
      if (right === 'list' || right === 'create') return undefined;
      return this.accesses.enter(call, request.params.workspaceId as string, right).then(access => {
        request.access = access;
        request.orgId = access.workspace.orgId;
      });
    };
  }
}
