import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { creatorOf, type Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { assertMayMint, assertMayRenew, onlyWeakens } from '../api-keys/key-rights.js';
import { keyPrefix, newKeyText } from '../api-keys/key-text.js';
import { lockOrg } from '../org-lock.js';
import { sentChange } from '../right.fields.js';
import {
  type CreateServiceAccountBody,
  type MintedServiceAccountView,
  ServiceAccountView,
  type UpdateServiceAccountBody,
} from './service-account.dto.js';
import { ServiceAccount } from './service-account.entity.js';

/**
 * The service accounts of an organization. A caller can create, widen or rotate one only when they hold all its rights
 * themselves.
 */
@Injectable()
export class ServiceAccounts {
  constructor(
    @InjectRepository(ServiceAccount) private readonly rows: Repository<ServiceAccount>,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  async list({ orgId }: Membership, page: Page): Promise<ResultList<ServiceAccountView>> {
    return pageOfRows(this.rows, { where: { orgId }, order: { id: 'ASC' } }, page, ServiceAccountView.of);
  }

  create(
    call: Call,
    membership: Membership,
    body: CreateServiceAccountBody,
  ): Promise<MintedServiceAccountView> {
    const { orgId, orgSlug } = membership;
    const { slug, name, permissions, scopes = [] } = body;
    assertMayMint(call, membership, { permissions, scopes });
    const clientSecret = newKeyText(orgSlug, 'sas');
    const account: ServiceAccount = {
      id: newId(),
      orgId,
      slug,
      name,
      permissions,
      scopes,
      disabled: false,
      ...this.stored(clientSecret),
      createdBy: creatorOf(call.principal),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    };
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      await this.capacity.assertRoom(manager, 'service_accounts', orgId);
      await unlessTaken(
        manager.insert(ServiceAccount, account),
        `slug: another service account of the organization already has the slug ${slug}.`,
      );
      await this.record(manager, call, 'created', undefined, account);
      return { ...ServiceAccountView.of(account), clientSecret };
    });
  }

  update(
    call: Call,
    membership: Membership,
    slug: string,
    body: UpdateServiceAccountBody,
  ): Promise<ServiceAccountView> {
    const change = sentChange(body);
    return this.transactions.run(async manager => {
      const before = await this.lock(manager, membership, slug);
      const after = { ...before, ...change };
      const otherRights = (change.permissions ?? change.scopes) !== undefined;
      if (!onlyWeakens(change)) assertMayRenew(call, membership, after, { otherRights });
      await manager.update(ServiceAccount, before.id, change);
      await this.record(manager, call, 'updated', before, after);
      return ServiceAccountView.of(after);
    });
  }

  /** Sets a new secret. The old one and all tokens issued for it become invalid at once. */
  rotate(call: Call, membership: Membership, slug: string): Promise<MintedServiceAccountView> {
    const clientSecret = newKeyText(membership.orgSlug, 'sas');
    return this.transactions.run(async manager => {
      const before = await this.lock(manager, membership, slug);
      assertMayRenew(call, membership, before);
      const after = { ...before, ...this.stored(clientSecret) };
      await manager.update(ServiceAccount, before.id, this.stored(clientSecret));
      await this.record(manager, call, 'rotated', before, after);
      return { ...ServiceAccountView.of(after), clientSecret };
    });
  }

  /** Deletes a service account with its sessions. */
  delete(call: Call, membership: Membership, slug: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const account = await this.lock(manager, membership, slug);
      await manager.delete(ServiceAccount, account.id);
      await this.record(manager, call, 'deleted', account, undefined);
      return { success: true };
    });
  }

  /** The columns that are stored for a secret. */
  private stored(clientSecret: string): Pick<ServiceAccount, 'secretHash' | 'prefix'> {
    return { secretHash: this.secrets.hash(clientSecret), prefix: keyPrefix(clientSecret) };
  }

  private async lock(manager: EntityManager, { orgId }: Membership, slug: string): Promise<ServiceAccount> {
    await lockOrg(manager, orgId, 'keep');
    const lock = { mode: 'pessimistic_write' } as const;
    const account = await manager.findOne(ServiceAccount, { where: { orgId, slug }, lock });
    if (account === null)
      throw new PlatformError('NotFound', 'The organization has no service account with this slug.');
    return account;
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: string,
    before: ServiceAccount | undefined,
    after: ServiceAccount | undefined,
  ): Promise<void> {
    const { id, slug, orgId } = (after ?? before) as ServiceAccount;
    return this.audit.record(manager, call, orgId, {
      type: `orgs.serviceaccounts.${act}`,
      target: { type: 'service-account', id, name: slug },
      changes: { before: before && loggable(before), after: after && loggable(after) },
    });
  }
}

/** What audit events contain: never the secret or its hash. */
function loggable({ name, permissions, scopes, disabled }: ServiceAccount): object {
  return { name, permissions, scopes, disabled };
}
