import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { type Access, collectionNotFound } from '../collections/collection-access.js';
import { CollectionBinding, type GrantableRole } from '../collections/collection-binding.entity.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';
import type { Page } from '../kernel/page.js';
import type { AccessBindingView, AccessListView, GrantAccessBody, UpdateAccessBody } from './access.dto.js';
import { accessPage, boundAccess, ownerAccess } from './access-rows.js';
import { type BoundPrincipal, boundPrincipal, isInOrg, isOwner, principalId } from './bound-principal.js';

/** Principal as the path names it. */
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

  async get(access: Access, type: string, id: string): Promise<AccessBindingView> {
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
    refuseOwner(access, { type, id });
    const { orgId } = access.collection;
    const principal = boundPrincipal(access.membership.orgSlug, type, id);
    return this.source.transaction(async manager => {
      if (principal === undefined || !(await isInOrg(manager, orgId, principal))) {
        throw invalid(`principal_id: the collection's organization has no such ${type}.`);
      }
      const before = await this.lock(manager, access, principal);
      const binding = before ?? this.newBinding(access, principal, role);
      await this.setRole(manager, call, access, { before, binding, role });
      return { binding: await this.view(manager, access, principal), created: before === undefined };
    });
  }

  update(call: Call, access: Access, named: Named, { role }: UpdateAccessBody): Promise<AccessBindingView> {
    return this.change(access, named, async (manager, binding) => {
      await this.setRole(manager, call, access, { before: binding, binding, role });
      return this.view(manager, access, binding);
    });
  }

  revoke(call: Call, access: Access, named: Named): Promise<{ deleted: true }> {
    return this.change(access, named, async (manager, binding) => {
      await manager.delete(CollectionBinding, { id: binding.id });
      await this.record(manager, call, access, 'revoked', binding, { before: { role: binding.role } });
      return { deleted: true };
    });
  }

  /** Changes a binding that exists: 400 for the owner's, 404 for none. */
  private change<T>(
    access: Access,
    named: Named,
    work: (manager: EntityManager, binding: CollectionBinding) => Promise<T>,
  ): Promise<T> {
    refuseOwner(access, named);
    const principal = boundPrincipal(access.membership.orgSlug, named.type, named.id);
    return this.source.transaction(async manager => {
      const binding = principal && (await this.lock(manager, access, principal));
      if (binding === undefined) throw bindingNotFound();
      return work(manager, binding);
    });
  }

  /** The principal's binding, if any. The collection is locked: changes of who may reach it come one by one. */
  private async lock(
    manager: EntityManager,
    { collection }: Access,
    { principalType, userId, groupSlug }: BoundPrincipal,
  ): Promise<CollectionBinding | undefined> {
    const locked = await manager.query('SELECT FROM collections WHERE id = $1 FOR NO KEY UPDATE', [
      collection.id,
    ]);
    if (locked.length === 0) throw collectionNotFound();
    const binding = await manager.findOneBy(CollectionBinding, {
      collectionId: collection.id,
      principalType,
      userId: userId ?? IsNull(),
      groupSlug: groupSlug ?? IsNull(),
    });
    return binding ?? undefined;
  }

  private newBinding(
    { collection }: Access,
    principal: BoundPrincipal,
    role: GrantableRole,
  ): CollectionBinding {
    return Object.assign(new CollectionBinding(), {
      ...principal,
      id: newId(),
      collectionId: collection.id,
      orgId: collection.orgId,
      role,
      createdAt: this.clock.now(),
    } satisfies CollectionBinding);
  }

  private async setRole(
    manager: EntityManager,
    call: Call,
    access: Access,
    {
      before,
      binding,
      role,
    }: { before: CollectionBinding | undefined; binding: CollectionBinding; role: GrantableRole },
  ): Promise<void> {
    if (before === undefined) await manager.insert(CollectionBinding, binding);
    else await manager.update(CollectionBinding, { id: binding.id }, { role });
    await this.record(manager, call, access, before === undefined ? 'granted' : 'updated', binding, {
      ...(before && { before: { role: before.role } }),
      after: { role },
    });
  }

  private async view(
    manager: EntityManager,
    access: Access,
    principal: BoundPrincipal,
  ): Promise<AccessBindingView> {
    return (await boundAccess(manager, access, principal)) as AccessBindingView;
  }

  /** About the collection; `changes` names whose role it was. */
  private record(
    manager: EntityManager,
    call: Call,
    { collection, membership }: Access,
    act: 'granted' | 'updated' | 'revoked',
    principal: BoundPrincipal,
    roles: { before?: { role: string }; after?: { role: string } },
  ): Promise<void> {
    const whose = {
      principal_type: principal.principalType,
      principal_id: principalId(membership.orgSlug, principal),
    };
    return this.audit.record(manager, call, collection.orgId, {
      type: `collections.access.${act}`,
      target: { type: 'collection', id: collection.id, name: collection.name },
      changes: {
        ...(roles.before && { before: { ...whose, ...roles.before } }),
        ...(roles.after && { after: { ...whose, ...roles.after } }),
      },
    });
  }
}

function refuseOwner({ collection }: Access, { type, id }: Named): void {
  if (isOwner(collection, type, id)) throw invalid("The owner's access cannot be changed.");
}

function bindingNotFound(): PlatformError {
  return new PlatformError('NotFound', 'The collection is not shared with them by a binding of their own.');
}
