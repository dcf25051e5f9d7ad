import { Injectable } from '@nestjs/common';
import { attemptUntil } from '../../base/kernel/bounds/attempts.js';
import { type Deadline, deadlineIn, type Presence } from '../../base/kernel/bounds/deadline.js';
import { Replay } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import type { CollectionRight } from '../../base/kernel/permission.js';
import { activeMembership, type Principal } from '../../base/kernel/principal.js';
import { asOf } from '../../engine/storage/history/past.js';
import { underRules } from '../../engine/storage/restricted/writing.js';
import { Settings } from '../../platform/config/settings.js';
import { failureOf } from '../../platform/http/failures.js';
import type { BoundCollection, Collection } from './collection.entity.js';
import { CollectionDirectory } from './collection-directory.js';
import { CollectionLimits } from './collection-limits.js';
import {
  ambiguousName,
  collectionNotFound,
  MAX_NAMED,
  moved,
  refuseOutsiders,
  tooManyRules,
} from './collection-refusals.js';
import { type CallerRole, callerRole, missingRight } from './collection-rights.js';
import { CurrentAccess, REFUSED, STALE } from './current-access.js';
import { keptInstant } from './kept-history.js';
import { ownerFor } from './visible-collections.js';

/** The right of a caller on one collection, decided once per request. */
export interface Access extends CallerRole {
  readonly right: CollectionRight;
  /**
   * Set where the caller named the collection. When the name belongs to another collection by the time a statement
   * runs, the statement is planned again for that one (`follow`), or the request is refused (`stay`).
   */
  readonly byName?: ByName;
  /** Called with the id of the collection that the name refers to, each time it is looked up again. */
  readonly found?: (id: string) => void;
  /** Set for reads as another principal: the caller, who must have the right to share. */
  readonly viewer?: Principal;
  /** Set for reads of the past: `collection` is as it was at this instant. */
  readonly asOf?: string;
  /** Set for reads that may take long: they are cancelled when their caller disconnects. */
  readonly caller?: Presence;
}

export type ByName = 'follow' | 'stay';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const UUID_LENGTH = 36;

/**
 * Decides what a caller may do with a collection, and decides again when the collection changes while a statement runs.
 */
@Injectable()
export class CollectionAccess {
  /** Principals and cached rows are never modified, so each decision is made once. */
  private readonly decided = new WeakMap<Principal, WeakMap<BoundCollection, Map<CollectionRight, Access>>>();

  private readonly limits: CollectionLimits;

  constructor(
    private readonly directory: CollectionDirectory,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.limits = new CollectionLimits(settings, clock);
  }

  /** Counts a request of the caller against the limits of its grants, once for each request. Throws 429. */
  admit(access: Access, ip: string | undefined): void {
    this.limits.admit(access, access.right, ip);
  }

  /**
   * The access of a principal to a collection, from cached metadata. Use it only for statements with a version check.
   * Before a caller is refused, the row is read again, because a cached row may be stale.
   */
  known(principal: Principal, reference: string, right: CollectionRight): Access | Promise<Access> {
    if (reference.length !== UUID_LENGTH) {
      return (
        this.knownNamed(principal, reference, right) ?? this.fresh(principal, reference, right, 'follow')
      );
    }
    const remembered = this.directory.remembered(reference);
    const access = remembered && this.remembered(principal, remembered, right);
    return access ?? this.fresh(principal, reference, right, 'follow');
  }

  /**
   * Access by name from the cache, for the caller's own collections only: the version check proves that the name still
   * belongs to the collection. Collections shared with the caller are looked up each time, because no version shows
   * whether another collection of this name has been shared since.
   */
  private knownNamed(principal: Principal, name: string, right: CollectionRight): Access | undefined {
    const [membership, owner] = [activeMembership(principal), ownerFor(principal)];
    if (membership === undefined || owner === undefined) return undefined;
    const row = this.directory.rememberedNamed(membership.orgId, owner, name);
    const access = row && this.remembered(principal, row, right);
    return access && { ...access, byName: 'follow' };
  }

  private remembered(principal: Principal, row: BoundCollection, right: CollectionRight): Access | undefined {
    const rows = this.decided.get(principal) ?? new WeakMap<BoundCollection, Map<CollectionRight, Access>>();
    this.decided.set(principal, rows);
    const rights = rows.get(row) ?? new Map<CollectionRight, Access>();
    rows.set(row, rights);
    const known = rights.get(right);
    if (known !== undefined) return known;
    const access = decide(principal, row, right, this.clock.now());
    if (access instanceof PlatformError) return undefined;
    if (access.isTimed !== true) rights.set(right, access);
    return access;
  }

  /**
   * The access to the collection with this id or name, from the row as it is now. Throws 403
   * `OrganizationMembershipRequired`, 404 `CollectionNotFound` (absent or invisible), 409 `AmbiguousName` or 403
   * `Forbidden`.
   */
  async fresh(
    principal: Principal,
    reference: string,
    right: CollectionRight,
    byName: ByName = 'stay',
    ofMetadata = false,
  ): Promise<Access> {
    refuseOutsiders(principal);
    const named = isName(reference);
    const row = named
      ? await this.named(principal, reference)
      : isUuid(reference)
        ? await this.directory.fresh(
            reference.toLowerCase(),
            principal.memberships.map(({ orgId }) => orgId),
          )
        : undefined;
    const access = decide(principal, row, right, this.clock.now(), ofMetadata);
    if (access instanceof PlatformError) throw access;
    return named ? { ...access, byName } : access;
  }

  /** The access of a caller that reads what the collection is, but none of its records. Throws as `fresh`. */
  toMetadata(principal: Principal, reference: string): Promise<Access> {
    return this.fresh(principal, reference, 'read', 'stay', true);
  }

  /**
   * The collection of the active organization that the name refers to: the caller's own one, otherwise the only visible
   * one.
   */
  private async named(principal: Principal, name: string): Promise<BoundCollection | undefined> {
    const membership = activeMembership(principal);
    if (membership === undefined) return undefined;
    const owner = ownerFor(principal);
    const found = await this.directory.named(principal, membership, owner, name, MAX_NAMED);
    const [first, second] = found;
    if (
      second === undefined ||
      (first?.ownerType === owner?.ownerType && first?.ownerId === owner?.ownerId)
    ) {
      return first;
    }
    throw ambiguousName(name, found);
  }

  /**
   * The access for reads of the records as they were at an instant. Throws 400 `HistoryUnavailable` for an instant that
   * is not kept, and 400 `InvalidArguments` for one in the future.
   */
  asOf(access: Access, instant: string | undefined): Access {
    if (instant === undefined) return access;
    const { collection } = access;
    const at = keptInstant(collection, instant, this.clock.now());
    return { ...access, collection: asOf(collection, at), asOf: instant };
  }

  /**
   * The access that another principal has for reading, for a caller who may share the collection. Throws what the
   * principal would get for the collection. `access`: with the right `share`, as it is now.
   */
  viewedBy({ principal: viewer, collection }: Access, principal: Principal): Access {
    const viewed = decide(principal, collection, 'read', this.clock.now());
    if (viewed instanceof PlatformError) throw viewed.proven();
    return { ...viewed, viewer };
  }

  /** The access as it is now: the given one, if its collection has not changed since it was read. Throws as `fresh`. */
  async current(access: Access): Promise<Access> {
    return (await this.directory.isCurrent(access.collection)) ? access : this.again(access);
  }

  /**
   * What to answer after a failure of a request whose access was decided from cached metadata, which may be stale: before
   * an error tells something about the collection, a caller who has lost the access gets 404 or 403 instead.
   */
  async afterFailure(failure: unknown, access: Access): Promise<unknown> {
    if (!tellsOfCollection(failure)) return failure;
    try {
      await this.current(access);
      return failure;
    } catch (refusal) {
      return refusal;
    }
  }

  /** The access to the same collection, or to the one that has the name now. */
  async again({ principal, viewer, collection, right, byName, found, asOf }: Access): Promise<Access> {
    if (viewer !== undefined) {
      const shared = await this.fresh(viewer, collection.id, 'share', 'stay', true);
      return this.asOf(this.viewedBy(shared, principal), asOf);
    }
    if (byName === undefined) return this.asOf(await this.fresh(principal, collection.id, right), asOf);
    const now = await this.fresh(principal, collection.name, right, byName);
    if (byName === 'stay') refuseMoved(collection, now.collection);
    found?.(now.collection.id);
    return this.asOf({ ...now, found }, asOf);
  }

  /**
   * Runs statements with a version check. When `work` throws `Stale`, the collection is loaded again (by name if the
   * caller named it), the access is decided again, and `work` is repeated. Another error of `work` is thrown only if the
   * collection has not changed since `work` was planned, which the statement itself may have proven (`isProven`). All
   * retries, those of `work` included, share one deadline.
   */
  withVersionCheck<T>(
    access: Access,
    work: (access: Access, until: Deadline) => Promise<T>,
    until = deadlineIn(this.settings.REQUEST_TIMEOUT_MS),
  ): Promise<T> {
    const asked = new CurrentAccess(this, access, until);
    return attemptUntil(until, asked, ({ current }) => work(current, until), [STALE, REFUSED]);
  }
}

/** Statuses of errors that tell something about the collection. The contract requires 404 and 403 to come first. */
const TELLING = new Set([400, 404, 408, 413, 415]);

function tellsOfCollection(failure: unknown): boolean {
  if (failure instanceof Replay) return true;
  const { code, status, isProven } = failureOf(failure, '');
  return code === 'IdempotencyKeyReused' || (TELLING.has(status) && !isProven);
}

/** True for text that can be the name of a collection. A uuid is always an id. */
export function isName(reference: string): boolean {
  return NAME.test(reference) && !isUuid(reference);
}

function refuseMoved({ id, name }: Collection, now: Collection): void {
  if (now.id !== id) throw moved(name);
}

function decide(
  principal: Principal,
  collection: BoundCollection | undefined,
  right: CollectionRight,
  now: Date,
  ofMetadata = false,
): Access | PlatformError {
  const caller = collection && callerRole(principal, collection, now);
  if (caller === undefined) return collectionNotFound();
  const missing = missingRight(caller, right);
  if (missing !== undefined) return missing;
  if (caller.hasTooManyRules) return tooManyRules();
  const { collection: whole, restrictions } = caller;
  const isRead = right === 'read';
  return { ...caller, collection: ofMetadata ? whole : underRules(whole, restrictions, isRead), right };
}
