import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Settings } from '../config/settings.js';
import { callOf, type PlatformRequest } from '../http/platform-request.js';
import { REQUIREMENT, type Requirement } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { AccessDenials } from './access-denials.service.js';
import { type Access, CollectionAccess, isName } from './collection-access.js';

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
    const reference = this.referenceOf(request, requirement);
    const access =
      requirement.fenced && !isRetriedByName(request, reference)
        ? this.accesses.known(principal, reference, requirement.collection)
        : this.accesses.fresh(principal, reference, requirement.collection);
    if (!(access instanceof Promise)) {
      request.confirm = () => this.accesses.fresh(principal, reference, requirement.collection);
    }
    const keep = (decided: Access) => {
      if (decided.byName !== undefined) request.urlById = urlById(request.originalUrl, decided.collection.id);
      this.refuseSwitchedOff(requirement);
      request.access = decided;
      request.membership = decided.membership;
      return true;
    };
    return access instanceof Promise
      ? access.then(keep, error => this.denials.record(callOf(request), requirement.collection, error))
      : keep(access);
  }

  /** The id or name in the path. A name is none where only ids count, and is then as unknown as any other. */
  private referenceOf(request: PlatformRequest, { idOnly }: CollectionRequirement): string {
    const reference = request.params.collection_id as string;
    return idOnly && isName(reference) ? '' : reference;
  }

  private refuseSwitchedOff({ setting }: CollectionRequirement): void {
    if (setting === undefined || this.settings[setting]) return;
    throw new PlatformError('Forbidden', `This is switched off here: the service needs ${setting}=true.`);
  }
}

/** Its digest holds the id that the name belongs to, so the name is not taken from memory. */
function isRetriedByName({ headers }: PlatformRequest, reference: string): boolean {
  return headers['idempotency-key'] !== undefined && isName(reference);
}

function urlById(url: string, id: string): string {
  return url.replace(/^([^?]*?\/collections\/)[^/?]+/i, `$1${id}`);
}
