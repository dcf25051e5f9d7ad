import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { PlatformError } from '../../base/kernel/errors.js';
import type { CollectionRight } from '../../base/kernel/permission.js';
import type { Principal } from '../../base/kernel/principal.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Settings } from '../../platform/config/settings.js';
import { type Check, CollectionStep, type Route } from '../../platform/http/access/access-step.js';
import { ClientPresence, callOf, type PlatformRequest } from '../../platform/http/platform-request.js';
import type { Requirement } from '../../platform/http/requires.decorator.js';
import { type Access, CollectionAccess, isName } from './collection-access.js';
import { collectionEvent } from './collection-event.js';
import { RightMissing } from './collection-rights.js';
import { TrashedCollections } from './trash/trashed-collections.js';

type CollectionRequirement = Extract<Requirement, { collection: unknown }>;

/**
 * Records the event `collections.access.denied` when a caller who can see a collection is not allowed to read or change
 * its sharing. Other refusals are not recorded: refused reads and writes of a role are normal, and a caller who cannot
 * see the collection must not be able to fill its log.
 */
@Injectable()
export class AccessDenials {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Records the refusal if necessary, then throws it. */
  async record(call: Call, right: CollectionRight, refusal: unknown): Promise<never> {
    if (right === 'share' && refusal instanceof RightMissing) {
      const { collection } = refusal;
      const event = collectionEvent('collections.access.denied', collection);
      await this.audit.record(this.source, call, collection.orgId, event);
    }
    throw refusal;
  }
}

/** Enforces `@Requires({ collection })`: 404 before 403, both before the body is read. */
@Injectable()
export class CollectionRequirements extends CollectionStep {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly trashed: TrashedCollections,
    private readonly denials: AccessDenials,
    private readonly settings: Settings,
  ) {
    super();
  }

  checkFor({ requirement }: Route): Check | undefined {
    return 'collection' in requirement ? request => this.check(request, requirement) : undefined;
  }

  private check(request: PlatformRequest, requirement: CollectionRequirement): Promise<unknown> | undefined {
    const { principal } = request;
    if (principal === undefined) throw new Error('collection routes need a caller');
    const reference = this.referenceOf(request, requirement);
    const access = this.accessTo(principal, reference, request, requirement);
    if (!(access instanceof Promise)) {
      request.isAccessFromMemory = true;
      this.keep(access, request, requirement);
      return undefined;
    }
    return access.then(
      decided => this.keep(decided, request, requirement),
      error => this.denials.record(callOf(request), rightFor(request, requirement), error),
    );
  }

  private accessTo(
    principal: Principal,
    reference: string,
    request: PlatformRequest,
    requirement: CollectionRequirement,
  ): Access | Promise<Access> {
    const { versionCheck, trash, metadata } = requirement;
    const right = rightFor(request, requirement);
    if (versionCheck) return this.accesses.known(principal, reference, right);
    if (trash === 'only') return this.trashed.access(principal, reference);
    if (metadata || isOfRecord(request, requirement)) return this.accesses.toMetadata(principal, reference);
    const access = this.accesses.fresh(principal, reference, right);
    if (trash === undefined || request.query.permanent !== 'true' || isName(reference)) return access;
    return access.catch(error => {
      if ((error as PlatformError).code !== 'CollectionNotFound') throw error;
      return this.trashed.access(principal, reference);
    });
  }

  private keep(access: Access, request: PlatformRequest, requirement: CollectionRequirement): void {
    this.refuseSwitchedOff(requirement);
    this.admit(access, request);
    request.access = isRetriedByName(access, request) ? digestedById(access, request) : access;
    request.membership = access.membership;
  }

  /** Counts the request once, although its rights may be decided again. */
  private admit(access: Access, request: PlatformRequest): void {
    if (request.isCounted) return;
    request.isCounted = true;
    this.accesses.admit(access, request.ip);
  }

  override async afterFailure(failure: unknown, request: PlatformRequest): Promise<unknown> {
    const access = request.access as Access | undefined;
    if (access === undefined || !request.isAccessFromMemory) return failure;
    return this.accesses.afterFailure(failure, access);
  }

  /** The id or name in the path. Where only ids are allowed, a name gets the same 404 as an unknown id. */
  private referenceOf(request: PlatformRequest, { idOnly }: CollectionRequirement): string {
    const reference = request.params.collection_id as string;
    return idOnly && isName(reference) ? '' : reference;
  }

  private refuseSwitchedOff({ setting }: CollectionRequirement): void {
    if (setting === undefined || this.settings[setting]) return;
    throw new PlatformError(
      'Forbidden',
      `This operation is switched off. The operator can switch it on with ${setting}=true.`,
    );
  }
}

function rightFor(request: PlatformRequest, requirement: CollectionRequirement): CollectionRight {
  const { collection, ifErasing, ofRecord } = requirement;
  if (ofRecord !== undefined && isOfRecord(request, requirement)) return ofRecord;
  return ifErasing !== undefined && request.query.erase === 'true' ? ifErasing : collection;
}

function isOfRecord({ query }: PlatformRequest, { ofRecord }: CollectionRequirement): boolean {
  return ofRecord !== undefined && query.action !== undefined;
}

function isRetriedByName({ byName }: Access, { headers }: PlatformRequest): boolean {
  return byName !== undefined && headers['idempotency-key'] !== undefined;
}

/** The digest of an idempotent request has the id of the collection that is written, also if the name moves to another. */
function digestedById(access: Access, request: PlatformRequest): Access {
  const found = (id: string) => {
    request.urlById = urlById(request.originalUrl, id);
  };
  found(access.collection.id);
  return { ...access, found };
}

function urlById(url: string, id: string): string {
  return url.replace(/^([^?]*?\/collections\/)[^/?]+/i, `$1${id}`);
}

/** Parameter: the caller's access to the collection of the path, decided by the guard. */
export const Accessed = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<PlatformRequest>().access as Access,
);

/** Like `Accessed`, for a read that may take long: it is cancelled when its client disconnects. */
export const AccessedToRead = createParamDecorator((_: unknown, context: ExecutionContext): Access => {
  const http = context.switchToHttp();
  const access = http.getRequest<PlatformRequest>().access as Access;
  return { ...access, caller: new ClientPresence(http.getResponse<Response>()) };
});

/** Documents the collection in the path of a route. */
export function CollectionParam() {
  return ApiParam({
    name: 'collection_id',
    description:
      'Id or name of the collection. A name is looked up in the active organization: first among your own ' +
      'collections, then among the others that you can see. If several others have the name, the response is 409 `AmbiguousName`.',
    examples: {
      name: { summary: 'By name', value: 'customers' },
      id: { summary: 'By id', value: '019a3c1e-7f00-7000-8000-000000000000' },
    },
  });
}
