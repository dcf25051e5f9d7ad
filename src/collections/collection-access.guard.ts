import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { PlatformRequest } from '../http/platform-request.js';
import { REQUIREMENT, type Requirement } from '../http/requires.decorator.js';
import { CollectionAccess } from './collection-access.js';

/** Enforces `@Requires({ collection })`: 404 before 403, both before the body is read. */
@Injectable()
export class CollectionAccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accesses: CollectionAccess,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requirement = this.reflector.get<Requirement | undefined>(REQUIREMENT, context.getHandler());
    return requirement !== undefined && 'collection' in requirement ? this.admit(context, requirement) : true;
  }

  private async admit(
    context: ExecutionContext,
    requirement: Extract<Requirement, { collection: unknown }>,
  ): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const resolve = requirement.fenced ? this.accesses.known : this.accesses.fresh;
    const id = request.params.collection_id as string;
    if (request.principal === undefined) throw new Error('collection routes need a caller');
    request.access = await resolve.call(this.accesses, request.principal, id, requirement.collection);
    return true;
  }
}
