import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Settings } from '../../config/settings.js';
import type { User } from '../../identity/identity.entity.js';
import type { Call } from '../../kernel/call.js';
import { Joining } from '../../orgs/invites/joining.service.js';
import { replaceGroups } from '../../orgs/members/member-rows.js';
import { OrgMembership } from '../../orgs/memberships/membership.entity.js';
import { Memberships } from '../../orgs/memberships/memberships.service.js';
import type { JoinRule, Org } from '../../orgs/org.entity.js';
import type { FederatedLogin } from './federated-login.js';
import { domainOf } from './federated-login.js';

interface JoinableOrg extends Pick<Org, 'id' | 'slug' | 'defaultRole' | 'joinRules'> {
  /** True when the organization has proven the domain of the address by DNS. */
  readonly proven: boolean;
}

/**
 * Organizations that the login may lead into and that the user is not in: the provider's, those that invited the
 * e-mail address, those that a join rule opens to its domain. Locked by id, so that no two logins wait in a circle.
 */
const JOINABLE = `
  SELECT o.id, o.slug, o.default_role AS "defaultRole", o.join_rules AS "joinRules",
    EXISTS (SELECT 1 FROM org_domains d WHERE d.org_id = o.id AND d.domain = $6 AND d.verified_at IS NOT NULL) AS proven
  FROM orgs o
  WHERE o.deleted_at IS NULL AND ($5::text IS NULL OR o.slug = $5)
    AND o.id IN (
      SELECT id FROM orgs WHERE slug = $2
      UNION SELECT org_id FROM org_invites WHERE lower(email) = lower($3) AND uses = 0
      UNION SELECT id FROM orgs WHERE join_rules @> $4)
    AND NOT EXISTS (SELECT 1 FROM org_memberships m WHERE m.org_id = o.id AND m.user_id = $1)
  ORDER BY o.id FOR NO KEY UPDATE OF o`;

/** What people join by signing in. Everything happens in the caller's transaction. */
@Injectable()
export class FederatedMemberships {
  constructor(
    private readonly memberships: Memberships,
    private readonly joining: Joining,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
  ) {}

  /**
   * Invitations come first, then the provider's organization, then join rules; who is a member stays what they are.
   * Signing in accepts the invitations of the provider's organization, and all of them for somebody who belongs to no
   * organization yet. Others stay pending until the person accepts them.
   */
  async join(manager: EntityManager, call: Call, login: FederatedLogin, user: User): Promise<void> {
    const { provider, person } = login;
    if (!person.admitted) return;
    const orgs = await this.joinable(manager, login, user);
    if (orgs.length === 0) return;
    const invited = { id: user.id, email: person.email, emailVerified: person.emailVerified };
    const newcomer = provider.origin === 'file' && (await this.memberships.of(user.id, manager)).length === 0;
    const ofProvider = orgs.find(({ slug }) => slug === provider.orgSlug);
    const own = ofProvider && this.mayClaim(login, ofProvider) ? ofProvider.id : undefined;
    if (newcomer || own !== undefined) {
      // The people who run an organization's own provider can make it assert any address: it makes nobody an owner.
      const claim = { only: newcomer ? undefined : own, exceptOwner: provider.origin !== 'file' };
      await this.joining.claimInvitations(manager, call, invited, claim);
    }
    const ownFirst = orgs.toSorted((a, b) => rank(b, login) - rank(a, login));
    for (const org of ownFirst) await this.joinOpen(manager, call, login, org);
  }

  /**
   * Whoever runs an organization's own provider can make it say any address: it claims invitations only for addresses of
   * domains that the organization has proven, by DNS or to the operator.
   */
  private mayClaim(
    { provider: { origin, orgSlug }, person: { email } }: FederatedLogin,
    { proven }: JoinableOrg,
  ): boolean {
    if (origin === 'file' || proven) return true;
    return email !== null && this.settings.ORG_VERIFIED_DOMAINS.includes(`${orgSlug}=${domainOf(email)}`);
  }

  /**
   * True when the login leads into an organization. What an organization's own provider says counts for that one
   * only, whatever else the account belongs to (spec rule 8).
   */
  async resolves(manager: EntityManager, { provider, person }: FederatedLogin, user: User): Promise<boolean> {
    const memberships = await this.memberships.of(user.id, manager);
    const counting =
      provider.origin === 'file'
        ? memberships
        : memberships.filter(({ orgSlug }) => orgSlug === provider.orgSlug);
    return person.admitted && counting.length > 0;
  }

  private joinable(
    manager: EntityManager,
    { provider, person }: FederatedLogin,
    user: User,
  ): Promise<JoinableOrg[]> {
    const email = person.emailVerified ? person.email : null;
    return manager.query(JOINABLE, [
      user.id,
      provider.orgSlug ?? null,
      email,
      email && JSON.stringify([{ domain: domainOf(email) }]),
      provider.origin === 'org' ? provider.orgSlug : null,
      email && domainOf(email),
    ]);
  }

  private async joinOpen(
    manager: EntityManager,
    call: Call,
    login: FederatedLogin,
    org: JoinableOrg,
  ): Promise<void> {
    const entry = entryInto(org, login);
    const member = { orgId: org.id, userId: call.principal.id };
    if (entry === undefined || (await manager.existsBy(OrgMembership, member))) return;
    await this.memberships.join(manager, call, { ...member, roleSlug: entry.roleSlug });
    await this.joining.revokeOthers(manager, call, org.id, member.userId);
    const { groups = [] } = entry;
    if (groups.length === 0) return;
    await replaceGroups(manager, org.id, member.userId, groups);
    await this.audit.record(manager, call, org.id, {
      type: 'orgs.members.grouped',
      target: { type: 'user', id: member.userId },
      changes: { after: { groups } },
    });
  }
}

/** As what the login enters an organization that has not invited anyone: a join rule knows more than a default. */
function entryInto(
  { slug, defaultRole, joinRules }: JoinableOrg,
  { provider, person }: FederatedLogin,
): Pick<JoinRule, 'roleSlug' | 'groups'> | undefined {
  const domain = person.emailVerified && person.email !== null ? domainOf(person.email) : undefined;
  const rule = joinRules.find(each => each.domain === domain);
  if (rule !== undefined) return rule;
  return slug === provider.orgSlug ? { roleSlug: provider.defaultRole ?? defaultRole } : undefined;
}

/** The organization joined first is the one that counts where none is named (spec rule 11). */
function rank({ slug }: JoinableOrg, { provider }: FederatedLogin): number {
  return slug === provider.orgSlug ? 1 : 0;
}
