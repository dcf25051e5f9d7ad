import { Injectable } from '@nestjs/common';
import { PageQuery } from '../http/list-page.js';
import { validated } from '../http/validation.pipe.js';
import type { Call } from '../kernel/call.js';
import { invalid } from '../kernel/errors.js';
import type { WorkspaceRight } from '../kernel/permission.js';
import { CheckBody } from '../workspaces/security/security.dto.js';
import { WorkspaceSecurity } from '../workspaces/security/workspace-security.service.js';
import { UpdateWorkspaceBody, WorkspaceView } from '../workspaces/workspace.dto.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import { Workspaces } from '../workspaces/workspaces.service.js';
import type { CallMethod } from './runtime.dto.js';
import { WorkspaceContexts } from './workspace-contexts.service.js';

/** An operation that another workspace may call. */
export interface WorkspaceOperation {
  readonly right: WorkspaceRight;
  perform(call: Call, access: WorkspaceAccess, body: unknown): unknown;
}

/**
 * The operations that one workspace may call on another. Those that change its rules are left out, because only people
 * of the target decide them; calls are left out, so that calls cannot go in a circle.
 */
@Injectable()
export class WorkspaceOperations {
  private readonly table: Readonly<Record<string, WorkspaceOperation>>;

  constructor(workspaces: Workspaces, security: WorkspaceSecurity, contexts: WorkspaceContexts) {
    this.table = {
      'GET /': { right: 'read', perform: (_, { workspace }) => WorkspaceView.of(workspace) },
      'PATCH /': {
        right: 'update',
        perform: (call, access, body) =>
          workspaces.update(call, access, validated(UpdateWorkspaceBody, body ?? {})),
      },
      'DELETE /': { right: 'delete', perform: (call, access) => workspaces.delete(call, access) },
      'GET /context': { right: 'see', perform: (call, access) => contexts.of(call, access) },
      'GET /security/roles': {
        right: 'read',
        perform: (_, access) => security.roles(access, new PageQuery()),
      },
      'POST /security/check': {
        right: 'see',
        perform(_, { ability }, body) {
          const { action, subject, resource } = validated(CheckBody, body);
          return ability.ask(action, subject, resource);
        },
      },
    };
  }

  /** The path may be full or relative to the target. Throws 400 for everything but an operation of the table. */
  find(method: CallMethod, path: string, target: string): WorkspaceOperation {
    const own = `/v2/workspaces/${target}`;
    const below = path === own || path.startsWith(`${own}/`) ? path.slice(own.length) || '/' : path;
    const name = `${method} ${below}`;
    const found = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (found === undefined) {
      throw invalid(
        `path: method and path together are not one of these operations: ${Object.keys(this.table).join(', ')}`,
      );
    }
    return found;
  }
}
