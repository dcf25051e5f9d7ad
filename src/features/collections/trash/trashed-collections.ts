import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, type Repository, type SelectQueryBuilder } from 'typeorm';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { isUuid } from '../../../base/kernel/id.js';
import { activeMembership, type Membership, type Principal } from '../../../base/kernel/principal.js';
import { rereadWhenLost } from '../../../base/kernel/sql-state.js';
import { Settings } from '../../../platform/config/settings.js';
import type { Page } from '../../../platform/http/list-page.js';
import { type BoundCollection, boundCollections, Collection, selectBound } from '../collection.entity.js';
import { type Access, isName } from '../collection-access.js';
import { ambiguousName, collectionNotFound, MAX_NAMED, refuseOutsiders } from '../collection-refusals.js';
import { type CallerRole, callerRole, hasRight } from '../collection-rights.js';
import { deletedCollections, narrowToDeletable, ownerFor, ownFirst } from '../visible-collections.js';

/** SQL: the owner of the collection `c` exists. */
const OWNER_EXISTS = `CASE c.owner_type
  WHEN 'agent' THEN EXISTS (SELECT FROM agents a WHERE a.id = c.owner_id)
  ELSE EXISTS (SELECT FROM users u WHERE u.id = c.owner_id) END`;

/** SQL: the collection `c` is in the trash and cannot be restored any more; `due` is `dueTime()`. */
export const isDue = (due: string) =>
  `(c.deleted_at IS NOT NULL AND (c.deleted_at <= ${due} OR NOT ${OWNER_EXISTS}))`;

/**
 * Reads the collections in the trash. Only callers who may delete a collection see it there, until TRASH_DAYS have
 * passed or its owner is deleted. The trash is read rarely, so nothing is cached.
 */
@Injectable()
export class TrashedCollections {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** A page of the collections of an organization that the principal can restore, and their total number. */
  async list(
    principal: Principal,
    membership: Membership,
    page: Page,
  ): Promise<[(CallerRole & { readonly collection: BoundCollection })[], number]> {
    const query = this.restorable();
    narrowToDeletable(query, principal, membership);
    const [rows, total] = await deletedCollections(query, page);
    return [rows.flatMap(row => deleterOf(principal, row, this.clock.now()) ?? []), total];
  }

  /**
   * The access to the collection in the trash with this id or name. A name is looked up in the active organization:
   * first among the caller's own collections. Throws 404 also when the caller may not delete it, and 409
   * `AmbiguousName` when several have the name.
   */
  async access(principal: Principal, reference: string): Promise<Access> {
    refuseOutsiders(principal);
    const named = isName(reference);
    const rows = named ? await this.named(principal, reference) : await this.withId(principal, reference);
    const callers = rows.flatMap(row => deleterOf(principal, row, this.clock.now()) ?? []);
    const owner = ownerFor(principal);
    const own = callers.filter(
      ({ collection: { ownerType, ownerId } }) => ownerType === owner?.ownerType && ownerId === owner.ownerId,
    );
    const [first, ...others] = own.length > 0 ? own : callers;
    if (first === undefined) throw collectionNotFound();
    if (others.length > 0) {
      throw ambiguousName(
        reference,
        [first, ...others].map(({ collection }) => collection),
      );
    }
    return { ...first, right: 'delete', ...(named && { byName: 'stay' as const }) };
  }

  /** Collections that were deleted at or before this time cannot be restored any more. */
  dueTime(): Date {
    return new Date(this.clock.now().getTime() - this.settings.TRASH_DAYS * DAY_MS);
  }

  /** Until when a collection that was deleted at this time can be restored. */
  restorableUntil(deletedAt: Date): Date {
    return new Date(deletedAt.getTime() + this.settings.TRASH_DAYS * DAY_MS);
  }

  /**
   * Locks a collection that can be restored, and its owner, until the transaction ends. Throws 404 when it cannot be
   * restored any more.
   */
  async lock(manager: EntityManager, id: string): Promise<Collection> {
    const row = await manager.findOne(Collection, {
      where: { id, deletedAt: MoreThan(this.dueTime()) },
      withDeleted: true,
      lock: { mode: 'pessimistic_write' },
    });
    if (row === null) throw collectionNotFound();
    const owners = row.ownerType === 'agent' ? 'agents' : 'users';
    const owner = await manager.query(`SELECT FROM ${owners} WHERE id = $1 FOR KEY SHARE`, [row.ownerId]);
    if (owner.length === 0) throw collectionNotFound();
    return row;
  }

  private restorable(): SelectQueryBuilder<Collection> {
    return this.collections
      .createQueryBuilder('c')
      .withDeleted()
      .where(`c.deletedAt IS NOT NULL AND NOT ${isDue(':due')}`, { due: this.dueTime() });
  }

  private async named(principal: Principal, name: string): Promise<BoundCollection[]> {
    const membership = activeMembership(principal);
    if (membership === undefined) return [];
    const query = this.restorable().andWhere('c.name = :name', { name });
    narrowToDeletable(query, principal, membership);
    return this.read(ownFirst(query, ownerFor(principal)).limit(MAX_NAMED));
  }

  private async withId({ memberships }: Principal, id: string): Promise<BoundCollection[]> {
    if (!isUuid(id)) return [];
    const orgIds = memberships.map(({ orgId }) => orgId);
    return this.read(this.restorable().andWhere('c.id = :id AND c.orgId = ANY(:orgIds)', { id, orgIds }));
  }

  private async read(query: SelectQueryBuilder<Collection>): Promise<BoundCollection[]> {
    return boundCollections(await rereadWhenLost(() => selectBound(query).getRawAndEntities()));
  }
}

/** The caller's role; undefined when the caller may not delete the collection. */
function deleterOf(principal: Principal, row: BoundCollection, now: Date): CallerRole | undefined {
  const caller = callerRole(principal, row, now);
  return caller !== undefined && hasRight(caller, 'delete') ? caller : undefined;
}
