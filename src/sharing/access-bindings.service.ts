import { HttpStatus, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { type Access, collectionNotFound } from '../collections/collection-access.js';
import { CollectionBinding } from '../collections/collection-binding.entity.js';
import { claimKey, keepAnswer } from '../idempotency/kept-answer.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';
import type { Page } from '../kernel/page.js';
import { lockOrg } from '../orgs/org-lock.js';
import type { AccessBindingView, AccessListView, GrantAccessBody, UpdateAccessBody } from './access.dto.js';
import { accessEvent } from './access-event.js';
import { accessPage, boundAccess, ownerAccess } from './access-rows.js';
import { type BoundPrincipal, boundPrincipal, isInOrg, isOwner } from './bound-principal.js';

/** A principal as the path names it. */
interface Named {
  readonly type: string;
  readonly id: string;
}

/**
 * With whom a collection is shared. Every change moves the collection to its next version (by trigger), so that the
 * next request on every instance is decided by it.
 */
@Injectable()
export class AccessBindings {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async list(access: Access, page: Page): Promise<AccessListView> {
    const items = await accessPage(this.source, access, page);
    return { object: 'list', items, total: access.collection.bindings.size + 1 };
  }

  async get(access: Access, { type, id }: Named): Promise<AccessBindingView> {
    if (isOwner(access.collection, type, id)) return ownerAccess(this.source, access);
    const principal = boundPrincipal(access.membership.orgSlug, type, id);
    const found = principal && (await boundAccess(this.source, access, principal));
    if (found === undefined) throw bindingNotFound();
    return found;
  }

  /** Sets the role, whether there was one or not. 400 for who is not in the collection's organization. */
  async grant(
    call: Call,
    access: Access,
    { principal_type: type, principal_id: id, role }: GrantAccessBody,
  ): Promise<{ binding: AccessBindingView; created: boolean }> {
    const { orgId } = access.collection;
    return this.change(call, access, { type, id }, async (manager, principal) => {
      if (principal === undefined || !(await isInOrg(manager, orgId, principal))) {
        throw invalid(`principal_id: the collection's organization has no such ${type}.`);
      }
      const before = await this.lock(manager, access, principal);
      if (before === undefined) await manager.insert(CollectionBinding, this.draft(access, principal, role));
      else await manager.update(CollectionBinding, { id: before.id }, { role });
      const act = before === undefined ? 'granted' : 'updated';
      await this.audit.record(
        manager,
        call,
        orgId,
        accessEvent(act, access, principal, { before, after: { role } }),
      );
      const binding = await view(manager, access, principal);
      const created = before === undefined;
      await keepAnswer(manager, call, binding, { status: created ? HttpStatus.CREATED : HttpStatus.OK });
      return { binding, created };
    });
  }

  /** 404 when they have none. */
  update(call: Call, access: Access, named: Named, { role }: UpdateAccessBody): Promise<AccessBindingView> {
    return this.change(call, access, named, async (manager, principal) => {
      const before = principal && (await this.lock(manager, access, principal));
      if (before === undefined) throw bindingNotFound();
      await manager.update(CollectionBinding, { id: before.id }, { role });
      const event = accessEvent('updated', access, before, { before, after: { role } });
      await this.audit.record(manager, call, before.orgId, event);
      const binding = await view(manager, access, before);
      await keepAnswer(manager, call, binding);
      return binding;
    });
  }

  /** 404 when there is nothing to revoke. */
  revoke(call: Call, access: Access, named: Named): Promise<{ deleted: true }> {
    return this.change(call, access, named, async (manager, principal) => {
      const before = principal && (await this.lock(manager, access, principal));
      if (before === undefined) throw bindingNotFound();
      await manager.delete(CollectionBinding, { id: before.id });
      await this.audit.record(
        manager,
        call,
        before.orgId,
        accessEvent('revoked', access, before, { before }),
      );
      return { deleted: true };
    });
  }

  /**
   * A change for whomever the name means, undefined for what can be nobody. 400 for the owner. The organization is
   * locked, so that nobody leaves it meanwhile.
   */
  private change<T>(
    call: Call,
    { collection, membership }: Access,
    { type, id }: Named,
    work: (manager: EntityManager, principal: BoundPrincipal | undefined) => Promise<T>,
  ): Promise<T> {
    if (isOwner(collection, type, id)) throw invalid("The owner's access cannot be changed.");
    return this.source.transaction(async manager => {
      await claimKey(manager, call);
      await lockOrg(manager, collection.orgId, 'change');
      return work(manager, boundPrincipal(membership.orgSlug, type, id));
    });
  }

  /** The principal's binding, if any. The collection is locked: changes of who may reach it come one by one. */
  private async lock(
    manager: EntityManager,
    { collection }: Access,
    { principalType, userId, groupSlug }: BoundPrincipal,
  ): Promise<CollectionBinding | undefined> {
    const found = await manager.query('SELECT FROM collections WHERE id = $1 FOR NO KEY UPDATE', [
      collection.id,
    ]);
    if (found.length === 0) throw collectionNotFound();
    const binding = await manager.findOneBy(CollectionBinding, {
      collectionId: collection.id,
      principalType,
      userId: userId ?? IsNull(),
      groupSlug: groupSlug ?? IsNull(),
    });
    return binding ?? undefined;
  }

  private draft(
    { collection }: Access,
    principal: BoundPrincipal,
    role: CollectionBinding['role'],
  ): CollectionBinding {
    return {
      ...principal,
      id: newId(),
      collectionId: collection.id,
      orgId: collection.orgId,
      role,
      createdAt: this.clock.now(),
    };
  }
}

async function view(
  manager: EntityManager,
  access: Access,
  principal: BoundPrincipal,
): Promise<AccessBindingView> {
  return (await boundAccess(manager, access, principal)) as AccessBindingView;
}

function bindingNotFound(): PlatformError {
  return new PlatformError('NotFound', 'The collection is not shared with them by a binding of their own.');
}
