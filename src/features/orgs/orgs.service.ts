import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, Repository } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { unlessTaken } from '../../base/kernel/sql-state.js';
import { retryLockConflicts } from '../../engine/storage/table-lock.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Settings } from '../../platform/config/settings.js';
import { Capacity } from '../../platform/database/capacity.js';
import { OrgSchemas } from '../../platform/database/org-schema.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type Page, pageOf, type ResultList } from '../../platform/http/list-page.js';
import { assertMayGroup } from './granting.js';
import { JoinRules } from './join-rules.service.js';
import { Memberships } from './members/memberships.service.js';
import type { CreateOrgBody, OrgView, UpdateOrgBody } from './org.dto.js';
import { joiningRoles, Org } from './org.entity.js';
import { lockOrg, membershipRequired } from './org-lock.js';
import { OrgRemoval } from './org-removal.service.js';
import { sentChange, sentFields } from './right.fields.js';
import { Roles } from './roles/roles.service.js';

/** Tables whose rows are deleted with an organization. Rows that refer to these are deleted by foreign keys. */
const TABLES_OF_ORG = [
  'workspaces',
  'collections',
  'org_invites',
  'org_api_keys',
  'service_accounts',
  'sso_providers',
  'org_domains',
  'org_removals',
  'agents',
  'org_memberships',
  'org_groups',
  'org_roles',
  'ai_usage',
  'mail_outbox',
];

/** How long the deletion of an organization drops its tables. A job drops the others. */
const REMOVAL_MS = 3_000;

@Injectable()
export class Orgs {
  constructor(
    @InjectRepository(Org) private readonly rows: Repository<Org>,
    private readonly memberships: Memberships,
    private readonly roles: Roles,
    private readonly joinRules: JoinRules,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly schemas: OrgSchemas,
    private readonly removal: OrgRemoval,
    private readonly capacity: Capacity,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** The caller's organizations, in the order in which they joined them. */
  async list({ memberships }: Principal, page: Page): Promise<ResultList<OrgView>> {
    const { results, total } = pageOf(memberships, page);
    const rows = await this.rows.findBy({ id: In(results.map(each => each.orgId)), deletedAt: IsNull() });
    const found = results.flatMap(({ orgId }) => rows.find(row => row.id === orgId) ?? []);
    return { results: await this.joinRules.shown(found), total };
  }

  async get({ orgId }: Membership): Promise<OrgView> {
    const org = await this.rows.findOneBy({ id: orgId, deletedAt: IsNull() });
    if (org === null) throw membershipRequired();
    const [view] = await this.joinRules.shown([org]);
    return view as OrgView;
  }

  /**
   * Creates an organization with the caller as owner. 403 when ORG_CREATION does not allow it. 409 when the caller
   * owns ORG_MAX_PER_PERSON others.
   */
  async createOwn(call: Call, body: CreateOrgBody): Promise<OrgView> {
    assertMayCreate(call.principal, this.settings.ORG_CREATION);
    const { id } = call.principal;
    return this.transactions.run(async manager => {
      if (await this.memberships.onlyLimited(manager, call.principal)) throw mayNotCreate();
      await this.capacity.assertRoom(manager, 'org_memberships', id);
      const [view] = await this.joinRules.shown([await this.create(manager, call, body, id)], manager);
      return view as OrgView;
    });
  }

  /** Writes the row, its schema, its owner and the audit event. 409 for a slug that is or was in use. */
  async create(manager: EntityManager, call: Call, body: CreateOrgBody, ownerUserId: string): Promise<Org> {
    const org = this.newOrg(body);
    await unlessTaken(manager.save(org), `slug: ${body.slug} is or was the slug of another organization.`);
    await this.schemas.create(manager, org.id);
    await this.audit.record(manager, call, org.id, {
      type: 'orgs.created',
      target: targetOf(org),
      changes: { after: { slug: org.slug, name: org.name } },
    });
    await this.memberships.join(manager, call, { orgId: org.id, userId: ownerUserId, roleSlug: 'owner' });
    return org;
  }

  /** 400 `DomainNotProved` when it adds a join rule that would not take effect. */
  update(call: Call, membership: Membership, body: UpdateOrgBody): Promise<OrgView> {
    const change = changeOf(body);
    return this.transactions.run(async manager => {
      const before = await lockOrg(manager, membership.orgId, 'change');
      for (const slug of joiningRoles(change))
        await this.assertMayGrantOnJoining(manager, call, membership, slug);
      assertSignUpRole(change.signUp?.roleSlug);
      const groups = [...(change.joinRules ?? []), ...(change.signUp ? [change.signUp] : [])].flatMap(
        ({ groups = [] }) => groups,
      );
      await assertMayGroup(manager, call, membership, groups);
      await this.joinRules.assertProved(manager, before, change.joinRules ?? []);
      const after = manager.create(Org, { ...before, ...change, updatedAt: this.clock.now() });
      await manager.save(after);
      const views = await this.joinRules.shown([before, after], manager);
      await this.audit.record(manager, call, before.id, {
        type: 'orgs.updated',
        target: targetOf(after),
        changes: { before: views[0], after: views[1] },
      });
      return views[1] as OrgView;
    });
  }

  /**
   * Deletes the organization and all it contains, except its row, which keeps the slug. The audit event goes to the
   * platform's log, because the organization's log is deleted with its schema. The schema is dropped afterwards: its
   * tables may be in use, and there may be more of them than one transaction can lock.
   */
  async delete(call: Call, { orgId }: Membership): Promise<{ success: true }> {
    const deleteRows = async (manager: EntityManager) => {
      const org = await lockOrg(manager, orgId, 'delete');
      for (const table of TABLES_OF_ORG) {
        await manager.query(`DELETE FROM ${table} WHERE org_id = $1`, [orgId]);
      }
      await manager.update(Org, orgId, { deletedAt: this.clock.now() });
      await this.audit.record(manager, call, undefined, { type: 'orgs.deleted', target: targetOf(org) });
    };
    // Jobs lock some of these rows in another order.
    await retryLockConflicts(() => this.transactions.run(deleteRows));
    await this.removal.begin(orgId, AbortSignal.timeout(REMOVAL_MS));
    return { success: true };
  }

  /** The caller must be able to grant a role that people get by joining; owner and admin cannot be such a role. */
  private async assertMayGrantOnJoining(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    slug: string,
  ): Promise<void> {
    if (slug === 'owner' || slug === 'admin')
      throw invalid(`People cannot join as ${slug} without an invitation. Choose another role.`);
    await this.roles.grantableRole(manager, call, membership, slug);
  }

  private newOrg(body: CreateOrgBody): Org {
    const now = this.clock.now();
    const defaults = {
      settings: {},
      subscription: {},
      defaultRole: 'member',
      joinRules: [],
      auth: {},
      signUp: null,
    };
    return Object.assign(new Org(), {
      ...defaults,
      ...sentFields(body),
      id: newId(),
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
  }
}

/** Without what responses add to join rules, so that rules can be sent back as they were read. */
function changeOf(body: UpdateOrgBody): Partial<UpdateOrgBody> {
  const { joinRules, ...change } = sentChange(body);
  if (joinRules === undefined) return change;
  return { ...change, joinRules: joinRules.map(({ effective: _, ...rule }) => ({ ...rule })) };
}

/** 400 for the roles of people who work in the organization. */
function assertSignUpRole(slug: string | undefined): void {
  if (slug !== 'member') return;
  throw invalid(
    'signUp: people who sign up cannot have the role member, whose permissions are for people who work in the organization. Create a role for them.',
  );
}

function assertMayCreate(principal: Principal, allowed: Settings['ORG_CREATION']): void {
  const leads = principal.memberships.some(({ role }) => role === 'owner' || role === 'admin');
  if (principal.anonymous || allowed === 'off' || (allowed === 'admins' && !leads)) {
    throw mayNotCreate();
  }
}

function mayNotCreate(): PlatformError {
  return new PlatformError('Forbidden', 'You are not allowed to create organizations on this service.');
}

function targetOf(org: Org): { type: string; id: string; name: string } {
  return { type: 'org', id: org.id, name: org.slug };
}
