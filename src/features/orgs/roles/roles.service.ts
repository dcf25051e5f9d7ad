import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOf, type ResultList } from '../../../platform/http/list-page.js';
import { assertMayGrant } from '../granting.js';
import { OrgMembership } from '../members/membership.entity.js';
import { joiningRoles } from '../org.entity.js';
import { lockOrg } from '../org-lock.js';
import { NameField, PermissionsField, ScopesField, SlugField, sentChange } from '../right.fields.js';
import { SsoProvider } from '../sso/sso-provider.entity.js';
import { BUILT_IN_ROLES, builtInRole, OrgRole, OWNER, type Role } from './role.entity.js';

export class CreateRoleBody {
  @SlugField({ description: 'Unique in the organization.', example: 'analyst' })
  slug: string;

  @NameField({ example: 'Analyst' })
  name: string;

  @PermissionsField({ example: ['collections:read'] })
  permissions: string[];

  @ScopesField()
  scopes?: string[];
}

export class UpdateRoleBody {
  @NameField({ optional: true, example: 'Senior analyst' })
  name?: string;

  @PermissionsField({ optional: true, example: ['collections:read', 'collections:write'] })
  permissions?: string[];

  @ScopesField()
  scopes?: string[];
}

export class RoleView {
  @ApiProperty({ example: 'analyst' }) slug: string;
  @ApiProperty({ example: 'Analyst' }) name: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: readonly string[];
  @ApiProperty({ type: [String], example: [] }) scopes: readonly string[];
  @ApiProperty({ description: 'true: one of the roles that every organization has.' }) builtIn: boolean;

  static of(this: void, { slug, name, permissions, scopes }: Role): RoleView {
    return { slug, name, permissions, scopes, builtIn: builtInRole(slug) !== undefined };
  }
}

export class RoleListView {
  @ApiProperty({ type: [RoleView] }) results: RoleView[];
  @ApiProperty() total: number;
}

/** The roles of an organization. A caller can change or grant a role only when they hold all its rights. */
@Injectable()
export class Roles {
  constructor(
    @InjectRepository(OrgRole) private readonly rows: Repository<OrgRole>,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  /** The built-in roles come first. */
  async list({ orgId }: Membership, page: Page): Promise<ResultList<RoleView>> {
    const own = await this.rows.find({ where: { orgId }, order: { slug: 'ASC' } });
    return pageOf([...BUILT_IN_ROLES, ...own].map(RoleView.of), page);
  }

  /** The role of this slug. 400 when there is none, 403 when the caller may not grant it. */
  async grantableRole(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    slug: string,
  ): Promise<Role> {
    const role = await this.find(manager, membership.orgId, slug);
    if (role === undefined) throw invalid(`The organization has no role with the slug ${slug}.`);
    assertMayGrant(call.principal, membership, role);
    if (slug === OWNER) await assertIsOwner(manager, call, membership);
    return role;
  }

  /** The role of this slug, built in or created by the organization. */
  async find(manager: EntityManager, orgId: string, slug: string): Promise<Role | undefined> {
    return builtInRole(slug) ?? (await manager.findOneBy(OrgRole, { orgId, slug })) ?? undefined;
  }

  create(call: Call, membership: Membership, body: CreateRoleBody): Promise<RoleView> {
    const { orgId } = membership;
    const now = this.clock.now();
    const { slug, name, permissions, scopes = [] } = body;
    const role: OrgRole = { orgId, slug, name, permissions, scopes, createdAt: now, updatedAt: now };
    assertMayGrant(call.principal, membership, role);
    if (builtInRole(slug) !== undefined) throw new PlatformError('AlreadyExists', taken(slug));
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      await this.capacity.assertRoom(manager, 'org_roles', orgId);
      await unlessTaken(manager.insert(OrgRole, role), taken(slug));
      await this.record(manager, call, 'created', { after: role });
      return RoleView.of(role);
    });
  }

  update(call: Call, membership: Membership, slug: string, body: UpdateRoleBody): Promise<RoleView> {
    const change = sentChange(body);
    return this.transactions.run(async manager => {
      const before = await this.lock(manager, membership, slug);
      const after = manager.create(OrgRole, { ...before, ...change, updatedAt: this.clock.now() });
      assertMayGrant(call.principal, membership, before);
      assertMayGrant(call.principal, membership, after);
      await manager.update(OrgRole, { orgId: before.orgId, slug }, { ...change, updatedAt: after.updatedAt });
      await this.record(manager, call, 'updated', { before, after });
      return RoleView.of(after);
    });
  }

  /** 409 while somebody has the role or would get it by joining. */
  delete(call: Call, membership: Membership, slug: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const org = await lockOrg(manager, membership.orgId, 'change');
      const role = await this.lock(manager, membership, slug);
      const held = await manager.existsBy(OrgMembership, { orgId: org.id, roleSlug: slug });
      const providers = await manager.existsBy(SsoProvider, { orgId: org.id, defaultRole: slug });
      if (held || providers || joiningRoles(org).includes(slug)) {
        throw new PlatformError(
          'Conflict',
          `The role ${slug} is in use. Give its members another role first, and remove it from join rules, defaults and providers.`,
        );
      }
      await manager.delete(OrgRole, { orgId: org.id, slug });
      await this.record(manager, call, 'deleted', { before: role });
      return { success: true };
    });
  }

  private async lock(manager: EntityManager, { orgId }: Membership, slug: string): Promise<OrgRole> {
    if (builtInRole(slug) !== undefined) {
      throw new PlatformError('Conflict', `The role ${slug} is built in and cannot be changed or deleted.`);
    }
    const lock = { mode: 'pessimistic_write' } as const;
    const role = await manager.findOne(OrgRole, { where: { orgId, slug }, lock });
    if (role === null) throw new PlatformError('NotFound', 'The organization has no role with this slug.');
    return role;
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: string,
    { before, after }: { before?: OrgRole; after?: OrgRole },
  ): Promise<void> {
    const { orgId, slug } = (after ?? before) as OrgRole;
    return this.audit.record(manager, call, orgId, {
      type: `orgs.roles.${act}`,
      target: { type: 'role', id: slug },
      changes: { before: before && RoleView.of(before), after: after && RoleView.of(after) },
    });
  }
}

/**
 * 403 unless the caller is an owner in person. A key acts with the role of its owner, but other people may have its
 * secret. Reads the current membership, because rights that are decided again do not include the role.
 */
async function assertIsOwner(
  manager: EntityManager,
  { principal }: Call,
  { orgId }: Membership,
): Promise<void> {
  const { type, id: userId, credential } = principal;
  const inPerson = type === 'user' && (credential === 'jwt' || credential === 'access-token');
  if (inPerson && (await manager.existsBy(OrgMembership, { orgId, userId, roleSlug: OWNER }))) return;
  throw new PlatformError(
    'Forbidden',
    'Only owners of the organization may grant, change or remove the role owner, signed in or with an access token.',
  );
}

function taken(slug: string): string {
  return `slug: another role of the organization already has the slug ${slug}.`;
}
