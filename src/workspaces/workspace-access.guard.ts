import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { callOf, type PlatformRequest } from '../http/platform-request.js';
import { REQUIREMENT, type Requirement } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { WorkspaceAccesses } from './workspace-access.js';

/** Enforces `@Requires({ workspace })`: 404 before 403, both before the body is read. */
@Injectable()
export class WorkspaceAccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accesses: WorkspaceAccesses,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requirement = this.reflector.get<Requirement | undefined>(REQUIREMENT, context.getHandler());
    if (requirement === undefined || !('workspace' in requirement)) return true;
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const call = callOf(request);
    if (call.principal.collectionId !== undefined) {
      throw new PlatformError('Forbidden', 'A collection key reaches nothing but its collection.');
    }
    const { workspace: right } = requirement;
    if (right === 'list' || right === 'create') return true;
    const reference = request.params.workspaceId as string;
    return this.accesses.enter(call, reference, right).then(access => {
      request.access = access;
      request.orgId = access.workspace.orgId;
      return true;
    });
  }
}
