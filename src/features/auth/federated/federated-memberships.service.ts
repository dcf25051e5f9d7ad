import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import type { User } from '../../identity/identity.entity.js';
import { Joining } from '../../orgs/invites/joining.service.js';
import { OrgMembership } from '../../orgs/members/membership.entity.js';
import { Memberships, replaceGroups } from '../../orgs/members/memberships.service.js';
import type { JoinRule, Org } from '../../orgs/org.entity.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { domainOf, type FederatedPerson } from './federated-login.js';

/** What decides which organizations a login joins. */
interface JoiningLogin {
  readonly provider: Pick<Provider, 'origin'> & Partial<Pick<Provider, 'orgSlug' | 'defaultRole'>>;
  readonly person: Pick<FederatedPerson, 'email' | 'emailVerified' | 'admitted'>;
}

interface JoinableOrg extends Pick<Org, 'id' | 'slug' | 'defaultRole' | 'joinRules'> {
  /** True when the organization has proven, by DNS or to the operator, that it owns the domain of the address. */
  readonly proven: boolean;
  /** True for somebody who was a member before. */
  readonly removed: boolean;
}

/** SQL: true when organization `o` has proven that it owns the domain: by DNS, or to the operator, who names its slug. */
const provesDomain = (domain: `$${number}`, slugs: `$${number}`) =>
  `(o.slug = ANY (${slugs}) OR EXISTS (
    SELECT 1 FROM org_domains d WHERE d.org_id = o.id AND d.domain = ${domain} AND d.verified_at IS NOT NULL))`;

/**
 * Organizations that the user may join by the login: that of the provider, those that have invited the e-mail address, and
 * those with a join rule for its domain, which they have proven. Rows are locked in the order of ids, so that concurrent
 * logins do not deadlock.
 */
const JOINABLE = `
  SELECT o.id, o.slug, o.default_role AS "defaultRole", o.join_rules AS "joinRules",
    ${provesDomain('$6', '$7')} AS proven,
    EXISTS (SELECT 1 FROM org_removals r WHERE r.org_id = o.id AND r.user_id = $1) AS removed
  FROM orgs o
  WHERE o.deleted_at IS NULL AND ($5::text IS NULL OR o.slug = $5)
    AND o.id IN (
      SELECT id FROM orgs WHERE slug = $2
      UNION SELECT org_id FROM org_invites WHERE lower(email) = lower($3) AND uses = 0
      UNION SELECT id FROM orgs o WHERE join_rules @> $4 AND ${provesDomain('$6', '$7')})
    AND NOT EXISTS (SELECT 1 FROM org_memberships m WHERE m.org_id = o.id AND m.user_id = $1)
  ORDER BY o.id FOR NO KEY UPDATE OF o`;

/** Adds people to organizations when they sign in. All methods work in the caller's transaction. */
@Injectable()
export class FederatedMemberships {
  constructor(
    private readonly memberships: Memberships,
    private readonly joining: Joining,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
  ) {}

  /**
   * The order is: invitations, the provider's organization, join rules. Existing memberships do not change. The login
   * accepts the invitations of the provider's organization, and all invitations of a person who is in no organization yet.
   * Other invitations stay pending until the person accepts them.
   */
  async join(manager: EntityManager, call: Call, login: JoiningLogin, user: User): Promise<void> {
    if (!login.person.admitted) return;
    await this.joinAll(manager, call, login, user);
    await this.noteAddress(manager, login, user);
    await this.admitAnonymous(manager, login, user);
  }

  private async joinAll(manager: EntityManager, call: Call, login: JoiningLogin, user: User): Promise<void> {
    const { provider, person } = login;
    const orgs = await this.joinable(manager, login, user);
    if (orgs.length === 0) return;
    const invited = { id: user.id, email: person.email, emailVerified: person.emailVerified };
    const newcomer = provider.origin === 'file' && (await this.memberships.of(user.id, manager)).length === 0;
    const ofProvider = orgs.find(({ slug }) => slug === provider.orgSlug);
    const own = ofProvider && this.mayClaim(login, ofProvider) ? ofProvider.id : undefined;
    if (newcomer || own !== undefined) {
      // Whoever runs an organization's own provider can make it assert any address, so it cannot make owners.
      const claim = { only: newcomer ? undefined : own, exceptOwner: provider.origin !== 'file' };
      await this.joining.claimInvitations(manager, call, invited, claim);
    }
    const ownFirst = orgs.toSorted((a, b) => rank(b, login) - rank(a, login));
    for (const org of ownFirst) await this.joinOpen(manager, call, login, org);
  }

  /** Somebody who joined the provider's organization anonymously becomes an ordinary member of it, with the role they have. */
  private async admitAnonymous(
    manager: EntityManager,
    { provider: { orgSlug } }: JoiningLogin,
    { id }: User,
  ): Promise<void> {
    if (orgSlug === undefined) return;
    await manager.query(
      `UPDATE org_memberships m SET via = NULL FROM orgs o
       WHERE o.slug = $2 AND o.deleted_at IS NULL AND m.org_id = o.id AND m.user_id = $1 AND m.via = 'anonymous'`,
      [id, orgSlug],
    );
  }

  /** The provider's own organization knows the member by the address if the login may accept its invitations there. */
  private async noteAddress(
    manager: EntityManager,
    { provider: { origin, orgSlug }, person: { email, emailVerified } }: JoiningLogin,
    { id }: User,
  ): Promise<void> {
    if (origin === 'file' || orgSlug === undefined || email === null || !emailVerified) return;
    await manager.query(
      `UPDATE org_memberships m SET known_email = $3 FROM orgs o
       WHERE o.slug = $2 AND o.deleted_at IS NULL AND m.org_id = o.id AND m.user_id = $1
         AND m.known_email IS DISTINCT FROM $3 AND ${provesDomain('$4', '$5')}`,
      [id, orgSlug, email, domainOf(email), this.provenToOperator(domainOf(email))],
    );
  }

  /**
   * True when the login may accept invitations to the organization. An organization's own provider can assert any address,
   * so it may do this only for domains that the organization has proven, by DNS or to the operator.
   */
  private mayClaim({ provider: { origin } }: JoiningLogin, { proven }: JoinableOrg): boolean {
    return origin === 'file' || proven;
  }

  /** True if somebody with this proven address would join an organization by a join rule. */
  async hasJoinRuleFor(manager: EntityManager, email: string): Promise<boolean> {
    const domain = domainOf(email);
    const found = await manager.query(
      `SELECT FROM orgs o WHERE o.deleted_at IS NULL AND join_rules @> $1 AND ${provesDomain('$2', '$3')} LIMIT 1`,
      [JSON.stringify([{ domain }]), domain, this.provenToOperator(domain)],
    );
    return found.length > 0;
  }

  /** Slugs of the organizations that have proven the domain to the operator. */
  private provenToOperator(domain: string): string[] {
    return this.settings.ORG_VERIFIED_DOMAINS.filter(each => each.endsWith(`=${domain}`)).map(each =>
      each.slice(0, -domain.length - 1),
    );
  }

  /**
   * True when the user is a member of an organization for which the login counts. The login at an organization's own
   * provider counts for that organization only (spec rule 8).
   */
  async resolves(manager: EntityManager, { provider, person }: JoiningLogin, user: User): Promise<boolean> {
    const memberships = await this.memberships.of(user.id, manager);
    const counting =
      provider.origin === 'file'
        ? memberships
        : memberships.filter(({ orgSlug }) => orgSlug === provider.orgSlug);
    return person.admitted && counting.length > 0;
  }

  private joinable(
    manager: EntityManager,
    { provider, person }: JoiningLogin,
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
      email === null ? [] : this.provenToOperator(domainOf(email)),
    ]);
  }

  private async joinOpen(
    manager: EntityManager,
    call: Call,
    login: JoiningLogin,
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

/**
 * The role and groups of a person who joins without an invitation. A join rule has precedence over the default role. It
 * needs the organization's own provider or a proven domain, and does not bring back somebody who was removed.
 */
function entryInto(
  { slug, defaultRole, joinRules, proven, removed }: JoinableOrg,
  { provider, person }: JoiningLogin,
): Pick<JoinRule, 'roleSlug' | 'groups'> | undefined {
  const domain = person.emailVerified && person.email !== null ? domainOf(person.email) : undefined;
  const own = slug === provider.orgSlug;
  const rule = (own || proven) && !removed ? joinRules.find(each => each.domain === domain) : undefined;
  if (rule !== undefined) return rule;
  return own ? { roleSlug: provider.defaultRole ?? defaultRole } : undefined;
}

/** The provider's organization is joined first: the first one is active by default (spec rule 11). */
function rank({ slug }: JoinableOrg, { provider }: JoiningLogin): number {
  return slug === provider.orgSlug ? 1 : 0;
}
