import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { invalid } from '../../base/kernel/errors.js';
import { isUuid, newId } from '../../base/kernel/id.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { Agents, Users } from '../identity/users.service.js';
import { OrgApiKeys } from '../orgs/api-keys/org-api-keys.service.js';
import { Memberships } from '../orgs/members/memberships.service.js';
import { Org } from '../orgs/org.entity.js';
import { builtInRole, OrgRole } from '../orgs/roles/role.entity.js';

export const VIEWED_TYPES = ['user', 'agent', 'key', 'anonymous'] as const;

/** The principal that `view_as` names. */
export interface ViewedName {
  readonly type: (typeof VIEWED_TYPES)[number];
  readonly id: string;
  /** As it was sent. */
  readonly text: string;
}

const NAME = /^(user|agent|key):(.+)$/;

/** Throws 400 for a text that names no principal. */
export function viewedName(text: string): ViewedName {
  if (text === 'anonymous') return { type: 'anonymous', id: '', text };
  const [, type, id = ''] = NAME.exec(text) ?? [];
  if (!isUuid(id)) throw invalid('view_as: expects user:<id>, agent:<id>, key:<id> or anonymous');
  return { type: type as ViewedName['type'], id: id.toLowerCase(), text };
}

type Described = Pick<Principal, 'type' | 'id' | 'memberships'> & Partial<Principal>;

/** Makes the principal that a member, agent or key of an organization would be if it called now. */
@Injectable()
export class ViewedPrincipals {
  constructor(
    @InjectRepository(Org) private readonly orgs: Repository<Org>,
    @InjectRepository(OrgRole) private readonly roles: Repository<OrgRole>,
    private readonly users: Users,
    private readonly agents: Agents,
    private readonly memberships: Memberships,
    private readonly keys: OrgApiKeys,
  ) {}

  /** Undefined when the organization has no such principal. `membership`: of the caller, in this organization. */
  find(
    membership: Membership,
    { type, id }: Pick<ViewedName, 'type' | 'id'>,
  ): Promise<Principal | undefined> {
    switch (type) {
      case 'user':
        return this.user(membership, id);
      case 'agent':
        return this.agent(membership, id);
      case 'key':
        return this.key(membership, id);
      case 'anonymous':
        return this.anonymous(membership);
    }
  }

  private async user({ orgId }: Membership, id: string): Promise<Principal | undefined> {
    const [user, all] = await Promise.all([this.users.find(id), this.memberships.of(id)]);
    const membership = all.find(each => each.orgId === orgId);
    if (user?.status !== 'active' || membership === undefined) return undefined;
    return principal({
      type: 'user',
      id,
      email: user.email,
      emailVerified: user.emailVerified,
      memberships: [membership],
      anonymous: user.anonymous,
    });
  }

  /** With every permission for collections, because each of its keys has its own. */
  private async agent(membership: Membership, id: string): Promise<Principal | undefined> {
    const agent = await this.agents.find(membership.orgId, id);
    if (agent === undefined) return undefined;
    const { orgId, orgSlug, orgName } = membership;
    const none = { role: undefined, roleName: undefined, scopes: [], groups: [] };
    const own: Membership = { orgId, orgSlug, orgName, ...none, permissions: ['collections:*'] };
    return principal({ type: 'agent', id, slug: agent.slug, memberships: [own] });
  }

  private async key({ orgId }: Membership, id: string): Promise<Principal | undefined> {
    const key = await this.keys.found(id);
    return key?.memberships.some(each => each.orgId === orgId) ? key : undefined;
  }

  /** A person who has just signed in anonymously, and so has written nothing. */
  private async anonymous({ orgId, orgSlug, orgName }: Membership): Promise<Principal | undefined> {
    const { auth } = await this.orgs.findOneByOrFail({ id: orgId });
    if (auth.anonymous?.enabled !== true) return undefined;
    const slug = auth.anonymous.role;
    const role = builtInRole(slug) ?? (await this.roles.findOneBy({ orgId, slug }));
    const membership: Membership = {
      orgId,
      orgSlug,
      orgName,
      role: slug,
      roleName: role?.name ?? slug,
      permissions: role?.permissions ?? [],
      scopes: role?.scopes ?? [],
      groups: [],
      via: 'anonymous',
    };
    return principal({ type: 'user', id: newId(), anonymous: true, memberships: [membership] });
  }
}

/** A principal that has signed in itself, with nothing that narrows its rights. */
function principal(described: Described): Principal {
  return {
    credential: 'jwt',
    credentialId: described.id,
    email: null,
    slug: undefined,
    activeOrgSlug: described.memberships[0]?.orgSlug,
    sessionId: undefined,
    expiresAt: undefined,
    narrowedTo: undefined,
    collectionId: undefined,
    createdBy: undefined,
    firstParty: true,
    anonymous: false,
    ...described,
  };
}
