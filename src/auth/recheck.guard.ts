import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CollectionAccessGuard } from '../collections/collection-access.guard.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { OrgGuard } from '../orgs/org.guard.js';
import { WorkspaceAccessGuard } from '../workspaces/workspace-access.guard.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { isSafeMethod } from './same-origin.js';

/**
 * How long the decisions of the first guards hold without another look. With the age that a remembered credential may
 * have, it stays below the 5 s in which changes of rights count (contract).
 */
const HOLDS_MS = 500;

/**
 * Decides again, once the body is there, who calls and what the caller may do. A body may take minutes to come: what
 * was withdrawn meanwhile must not be used. Nearly every body comes with its request, and then nothing is asked again.
 */
@Injectable()
export class RecheckGuard implements CanActivate {
  private readonly guards: readonly CanActivate[];

  constructor(
    authentication: AuthenticationGuard,
    org: OrgGuard,
    collection: CollectionAccessGuard,
    workspace: WorkspaceAccessGuard,
  ) {
    this.guards = [authentication, org, collection, workspace];
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { method, startedAt } = context.switchToHttp().getRequest<PlatformRequest>();
    if (performance.now() - startedAt < HOLDS_MS || isSafeMethod(method)) return true;
    return this.decideAgain(context);
  }

  private async decideAgain(context: ExecutionContext): Promise<true> {
    for (const guard of this.guards) await guard.canActivate(context);
    return true;
  }
}
