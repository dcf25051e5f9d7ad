import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager, IsNull } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { emailLoginFor } from '../../../platform/config/mail.js';
import { Settings } from '../../../platform/config/settings.js';
import { User } from '../../identity/identity.entity.js';
import { Memberships } from '../../orgs/members/memberships.service.js';
import { Org } from '../../orgs/org.entity.js';
import { Roles } from '../../orgs/roles/roles.service.js';
import { domainOf } from '../federated/federated-login.js';
import { FederatedMemberships } from '../federated/federated-memberships.service.js';
import { ofEmail } from '../federated/federated-profiles.service.js';

/** Roles of the open invitations of an address, in one organization or in all. */
const INVITED_AS = `
  SELECT i.role_slug AS "roleSlug" FROM org_invites i JOIN orgs o ON o.id = i.org_id AND o.deleted_at IS NULL
  WHERE lower(i.email) = lower($1) AND i.uses = 0 AND (i.expires_at IS NULL OR i.expires_at > $2)
    AND ($3::uuid IS NULL OR i.org_id = $3)`;

/** True for somebody who leads an organization. */
function leads(memberships: readonly Pick<Membership, 'role'>[]): boolean {
  return memberships.some(({ role }) => role === 'owner' || role === 'admin');
}

/** Decides who may sign in by e-mail. Everything that it refuses looks the same to the person who asks. */
@Injectable()
export class EmailLoginAdmission {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly memberships: Memberships,
    private readonly federated: FederatedMemberships,
    private readonly roles: Roles,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** EMAIL_LOGIN, or `off` without mail. */
  get mode(): Settings['EMAIL_LOGIN'] {
    return emailLoginFor(this.settings);
  }

  /** True if the sign-in pages of the organization, or without one of the platform, offer sign-in by e-mail. */
  async isOfferedBy(orgSlug: string | undefined): Promise<boolean> {
    if (this.mode === 'off') return false;
    if (orgSlug === undefined) return this.mode === 'on';
    return (await this.org(this.manager, orgSlug)) !== undefined;
  }

  /** True if the owner of the address may sign in: with an account that has proven it, by an invitation, or as a new person. */
  async admits(manager: EntityManager, email: string, orgSlug: string | undefined): Promise<boolean> {
    if (this.mode === 'off') return false;
    const user = await manager.findOneBy(User, { ...ofEmail(email), emailVerified: true });
    if (user !== null && !(await this.admitsAccount(manager, user))) return false;
    if (orgSlug === undefined) {
      if (this.mode !== 'on') return false;
      return user !== null || (await this.admitsUnknown(manager, email));
    }
    const org = await this.org(manager, orgSlug);
    if (org === undefined) return false;
    const all = user === null ? [] : await this.memberships.of(user.id, manager);
    if (all.some(({ orgId }) => orgId === org.id)) return true;
    const invited = await this.invitedAs(manager, email, org.id);
    if (invited.length > 0) return this.mode === 'on' || !invited.some(role => leads([{ role }]));
    return this.admitsSignUp(manager, org, email, user?.id);
  }

  /** False for a disabled account, and for owners and admins unless EMAIL_LOGIN is `on`. */
  async admitsAccount(manager: EntityManager, { id, status }: Pick<User, 'id' | 'status'>): Promise<boolean> {
    if (status !== 'active') return false;
    return this.mode === 'on' || !leads(await this.memberships.of(id, manager));
  }

  /** The organization of a sign-in; undefined unless people may sign in to it by e-mail. */
  async org(manager: EntityManager, slug: string): Promise<Org | undefined> {
    const org = await manager.findOneBy(Org, { slug, deletedAt: IsNull() });
    if (org === null) return undefined;
    return this.mode === 'on' || org.signUp?.email === true ? org : undefined;
  }

  /** True if somebody with this address may join by the sign-up of the organization. A person who was removed may not. */
  async admitsSignUp(
    manager: EntityManager,
    { id, signUp }: Org,
    email: string,
    userId: string | undefined,
  ): Promise<boolean> {
    if (signUp?.email !== true) return false;
    const { domains = [], roleSlug } = signUp;
    if (domains.length > 0 && !domains.includes(domainOf(email))) return false;
    if ((await this.roles.find(manager, id, roleSlug)) === undefined) return false;
    if (userId === undefined) return true;
    const removed = await manager.query('SELECT FROM org_removals WHERE org_id = $1 AND user_id = $2', [
      id,
      userId,
    ]);
    return removed.length === 0;
  }

  async invitedAs(manager: EntityManager, email: string, orgId: string | null): Promise<string[]> {
    const rows: { roleSlug: string }[] = await manager.query(INVITED_AS, [email, this.clock.now(), orgId]);
    return rows.map(({ roleSlug }) => roleSlug);
  }

  /** True if a new person with this address would join an organization by an invitation or a join rule. */
  private async admitsUnknown(manager: EntityManager, email: string): Promise<boolean> {
    if ((await this.invitedAs(manager, email, null)).length > 0) return true;
    return this.federated.hasJoinRuleFor(manager, email);
  }
}
