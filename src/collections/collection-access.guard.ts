import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Settings } from '../config/settings.js';
import { callOf, type PlatformRequest } from '../http/platform-request.js';
import { REQUIREMENT, type Requirement } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { AccessDenials } from './access-denials.service.js';
import { type Access, CollectionAccess } from './collection-access.js';

type CollectionRequirement = Extract<Requirement, { collection: unknown }>;

/** Enforces `@Requires({ collection })`: 404 before 403, both before the body is read. */
@Injectable()
export class CollectionAccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accesses: CollectionAccess,
    private readonly denials: AccessDenials,
    private readonly settings: Settings,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requirement = this.reflector.get<Requirement | undefined>(REQUIREMENT, context.getHandler());
    return requirement !== undefined && 'collection' in requirement ? this.admit(context, requirement) : true;
  }

  private admit(context: ExecutionContext, requirement: CollectionRequirement): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const { principal } = request;
    if (principal === undefined) throw new Error('collection routes need a caller');
    const id = request.params.collection_id as string;
    const access = requirement.fenced
      ? this.accesses.known(principal, id, requirement.collection)
      : this.accesses.fresh(principal, id, requirement.collection);
    if (!(access instanceof Promise)) {
      request.confirm = () => this.accesses.fresh(principal, id, requirement.collection);
    }
    const keep = (decided: Access) => {
      this.refuseSwitchedOff(requirement);
      request.access = decided;
      request.membership = decided.membership;
      return true;
    };
    return access instanceof Promise
      ? access.then(keep, error => this.denials.record(callOf(request), requirement.collection, error))
      : keep(access);
  }

  private refuseSwitchedOff({ setting }: CollectionRequirement): void {
    if (setting === undefined || this.settings[setting]) return;
    throw new PlatformError('Forbidden', `This is switched off here: the service needs ${setting}=true.`);
  }
}
