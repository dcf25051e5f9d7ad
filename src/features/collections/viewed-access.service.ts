import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { AccessDenials } from './collection.step.js';
import { type Access, CollectionAccess } from './collection-access.js';
import { collectionEvent } from './collection-event.js';
import { type ViewedName, ViewedPrincipals, viewedName } from './viewed-principals.service.js';

/**
 * Decides the access of a read with `view_as`: that of the principal that it names. The call stays that of the caller,
 * who must have the right to share. Source: rules contract, "Why".
 */
@Injectable()
export class ViewedAccess {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly accesses: CollectionAccess,
    private readonly principals: ViewedPrincipals,
    private readonly denials: AccessDenials,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The access itself without `view_as`. Throws 403, 404 for a principal that the organization does not have, and what
   * the principal would get for the collection.
   */
  as(
    call: Call,
    access: Access,
    { view_as: name }: { readonly view_as?: string | undefined },
  ): Access | Promise<Access> {
    return name === undefined ? access : this.viewed(call, access, viewedName(name));
  }

  private async viewed(call: Call, access: Access, name: ViewedName): Promise<Access> {
    const shared = await this.toShare(call, access);
    const principal = await this.principals.find(shared.membership, name);
    if (principal === undefined)
      throw new PlatformError('NotFound', `view_as: ${NOT_FOUND[name.type]}`).proven();
    const { collection } = shared;
    const changes = { after: { view_as: name.text } };
    const event = collectionEvent('collections.access.viewed', collection, { changes });
    await this.audit.record(this.source, call, collection.orgId, event);
    return { ...this.accesses.viewedBy(shared, principal), ...(access.caller && { caller: access.caller }) };
  }

  /** The access of the caller with the right to share, as it is now. A refusal is in the audit log. */
  async toShare(call: Call, { principal, collection }: Access): Promise<Access> {
    try {
      return await this.accesses.fresh(principal, collection.id, 'share', 'stay', true);
    } catch (refusal) {
      if (refusal instanceof PlatformError) refusal.proven();
      return this.denials.record(call, 'share', refusal);
    }
  }
}

const NOT_FOUND: Record<ViewedName['type'], string> = {
  user: "the collection's organization has no active member with this id.",
  agent: "the collection's organization has no agent with this id.",
  key: "the collection's organization has no valid key with this id.",
  anonymous: "the collection's organization does not admit people who sign in anonymously.",
};
