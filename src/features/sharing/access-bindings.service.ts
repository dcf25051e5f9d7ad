import { HttpStatus, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { type AuditEntry, AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Page } from '../../platform/http/list-page.js';
import { claimKey, storeResponse } from '../../platform/idempotency/stored-responses.js';
import type { Access } from '../collections/collection-access.js';
import { CollectionBinding } from '../collections/collection-binding.entity.js';
import { collectionEvent } from '../collections/collection-event.js';
import { collectionNotFound } from '../collections/collection-refusals.js';
import { lockOrg } from '../orgs/org-lock.js';
import type { AccessBindingView, AccessListView, GrantAccessBody, UpdateAccessBody } from './access.dto.js';
import {
  accessPage,
  type BoundPrincipal,
  boundAccess,
  boundPrincipal,
  isInOrg,
  isOwner,
  ownerAccess,
  principalId,
} from './access-rows.js';

/** A user, group or organization as a request names it. */
interface Named {
  readonly type: string;
  readonly id: string;
}

/**
 * Access bindings: with whom a collection is shared. A trigger raises the version of the collection with every change,
 * so that the next request on every instance is decided by it.
 */
@Injectable()
export class AccessBindings {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
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

  /** Creates the binding or changes its role. 400 for a principal outside of the collection's organization. */
  async grant(
    call: Call,
    access: Access,
    { principal_type: type, principal_id: id, role }: GrantAccessBody,
  ): Promise<{ binding: AccessBindingView; created: boolean }> {
    const { orgId } = access.collection;
    return this.change(call, access, { type, id }, async (manager, principal) => {
      if (principal === undefined || !(await isInOrg(manager, orgId, principal))) {
        throw invalid(`principal_id: the collection's organization has no ${type} with this id.`);
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
      await storeResponse(manager, call, binding, { status: created ? HttpStatus.CREATED : HttpStatus.OK });
      return { binding, created };
    });
  }

  /** 404 when the principal has no binding. */
  update(call: Call, access: Access, named: Named, { role }: UpdateAccessBody): Promise<AccessBindingView> {
    return this.change(call, access, named, async (manager, principal) => {
      const before = principal && (await this.lock(manager, access, principal));
      if (before === undefined) throw bindingNotFound();
      await manager.update(CollectionBinding, { id: before.id }, { role });
      const event = accessEvent('updated', access, before, { before, after: { role } });
      await this.audit.record(manager, call, before.orgId, event);
      const binding = await view(manager, access, before);
      await storeResponse(manager, call, binding);
      return binding;
    });
  }

  /** 404 when the principal has no binding. */
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
   * Runs the change in one transaction, for the principal of this name; undefined for a name that cannot belong to the
   * organization. 400 for the owner. Locks the organization, so that its members stay until the change is committed.
   */
  private change<T>(
    call: Call,
    { collection, membership }: Access,
    { type, id }: Named,
    work: (manager: EntityManager, principal: BoundPrincipal | undefined) => Promise<T>,
  ): Promise<T> {
    if (isOwner(collection, type, id)) throw invalid("The owner's access cannot be changed.");
    return this.transactions.run(async manager => {
      await claimKey(manager, call);
      await lockOrg(manager, collection.orgId, 'change');
      return work(manager, boundPrincipal(membership.orgSlug, type, id));
    });
  }

  /** The principal's binding, if any. Locks the collection, so that changes of its bindings run one after another. */
  private async lock(
    manager: EntityManager,
    { collection }: Access,
    { principalType, userId, groupSlug, agentId }: BoundPrincipal,
  ): Promise<CollectionBinding | undefined> {
    const found = await manager.query(
      'SELECT FROM collections WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [collection.id],
    );
    if (found.length === 0) throw collectionNotFound();
    const binding = await manager.findOneBy(CollectionBinding, {
      collectionId: collection.id,
      principalType,
      userId: userId ?? IsNull(),
      groupSlug: groupSlug ?? IsNull(),
      agentId: agentId ?? IsNull(),
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
      ...{ rules: null, fields: null, limits: null },
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
  return new PlatformError('NotFound', 'This principal has no access binding of its own on the collection.');
}

interface Role {
  readonly role: string;
}

/** The audit event of a changed binding. Its target is the collection; `changes` holds the principal and the role. */
function accessEvent(
  act: 'granted' | 'updated' | 'revoked',
  { collection, membership }: Access,
  principal: BoundPrincipal,
  { before, after }: { before?: Role; after?: Role },
): AuditEntry {
  const whose = {
    principal_type: principal.principalType,
    principal_id: principalId(membership.orgSlug, principal),
  };
  const changes = {
    ...(before && { before: { ...whose, role: before.role } }),
    ...(after && { after: { ...whose, role: after.role } }),
  };
  return collectionEvent(`collections.access.${act}`, collection, { changes });
}
