import { HttpStatus, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { type GrantParts, shownParts } from '../../base/kernel/grant-parts.js';
import { newId } from '../../base/kernel/id.js';
import { type AuditEntry, AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Page } from '../../platform/http/list-page.js';
import { claimKey, storeResponse } from '../../platform/idempotency/stored-responses.js';
import {
  hasParts,
  mergedParts,
  removesAllParts,
  requireParts,
  type StoredParts,
} from '../collections/checked-parts.js';
import type { Access } from '../collections/collection-access.js';
import { CollectionBinding } from '../collections/collection-binding.entity.js';
import { collectionEvent } from '../collections/collection-event.js';
import { collectionNotFound } from '../collections/collection-refusals.js';
import { lockOrg } from '../orgs/org-lock.js';
import { sentChange } from '../orgs/right.fields.js';
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

/** A user, group, agent or organization as a request names it. */
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

  /** Creates the binding or changes its role and its parts. 400 for a principal outside of the collection's organization. */
  async grant(
    call: Call,
    access: Access,
    { principal_type: type, principal_id: id, role, ...sent }: GrantAccessBody,
  ): Promise<{ binding: AccessBindingView; created: boolean }> {
    const { orgId } = access.collection;
    requireParts(access.collection, sent);
    return this.change(call, access, { type, id }, async (manager, principal) => {
      if (principal === undefined || !(await isInOrg(manager, orgId, principal))) {
        throw invalid(`principal_id: the collection's organization has no ${type} with this id.`);
      }
      const before = await this.lock(manager, access, principal);
      const after = changedGrant(principal, before, role, sent);
      if (before === undefined) await manager.insert(CollectionBinding, this.draft(access, principal, after));
      else await manager.update(CollectionBinding, { id: before.id }, after);
      const act = before === undefined ? 'granted' : 'updated';
      await this.audit.record(manager, call, orgId, accessEvent(act, access, principal, { before, after }));
      const binding = await view(manager, access, principal);
      const created = before === undefined;
      await storeResponse(manager, call, binding, { status: created ? HttpStatus.CREATED : HttpStatus.OK });
      return { binding, created };
    });
  }

  /** 404 when the principal has no binding. */
  update(call: Call, access: Access, named: Named, body: UpdateAccessBody): Promise<AccessBindingView> {
    const { role, ...sent } = sentChange(body);
    requireParts(access.collection, sent);
    return this.change(call, access, named, async (manager, principal) => {
      const before = principal && (await this.lock(manager, access, principal));
      if (before === undefined) throw bindingNotFound();
      const after = changedGrant(before, before, role ?? before.role, sent);
      await manager.update(CollectionBinding, { id: before.id }, after);
      const event = accessEvent('updated', access, before, { before, after });
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

  private draft({ collection }: Access, principal: BoundPrincipal, grant: ChangedGrant): CollectionBinding {
    return {
      ...principal,
      id: newId(),
      collectionId: collection.id,
      orgId: collection.orgId,
      ...grant,
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

type ChangedGrant = StoredParts & Pick<CollectionBinding, 'role'>;

/** The role and the parts of a binding after a request. Throws 400 for parts that the role or the principal cannot have. */
function changedGrant(
  { principalType }: BoundPrincipal,
  before: CollectionBinding | undefined,
  role: CollectionBinding['role'],
  sent: GrantParts,
): ChangedGrant {
  const after = { role, ...mergedParts(before, sent) };
  const isForGuests = principalType === 'anonymous' || principalType === 'signup';
  if (role === 'admin') {
    if (isForGuests) throw invalid(`role: ${principalType} can be reader or editor.`);
    if (hasParts(after) && !removesAllParts(sent)) {
      throw invalid(
        'role: an admin is not restricted. Send rules, fields and limits as null, or grant reader or editor.',
      );
    }
  }
  if (isForGuests && after.rules === null)
    throw invalid(`rules: ${principalType} needs rules with read; {"read": true} shows every record.`);
  return after;
}

/** The audit event of a changed binding. Its target is the collection; `changes` holds the principal, the role and the other parts. */
function accessEvent(
  act: 'granted' | 'updated' | 'revoked',
  { collection, membership }: Access,
  principal: BoundPrincipal,
  { before, after }: { before?: ChangedGrant | undefined; after?: ChangedGrant },
): AuditEntry {
  const whose = {
    principal_type: principal.principalType,
    principal_id: principalId(membership.orgSlug, principal),
  };
  const changes = {
    ...(before && { before: { ...whose, role: before.role, ...shownParts(before) } }),
    ...(after && { after: { ...whose, role: after.role, ...shownParts(after) } }),
  };
  return collectionEvent(`collections.access.${act}`, collection, { changes });
}
