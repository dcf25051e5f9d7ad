import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { invalid } from '../../base/kernel/errors.js';
import {
  COLLECTION_RIGHTS,
  type CollectionRight,
  type CollectionRole,
  covers,
  type Permission,
  roleReaches,
  scopeReaches,
} from '../../base/kernel/permission.js';
import type { Membership } from '../../base/kernel/principal.js';
import type { BoundCollection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { BOUND_TYPES, type BoundType, boundGrant } from '../collections/collection-binding.entity.js';
import {
  type AccessPath,
  accessPaths,
  highestRole,
  type SharedWith,
} from '../collections/collection-role.js';
import { Agents, Users } from '../identity/users.service.js';
import { Memberships } from '../orgs/members/memberships.service.js';
import type { AccessExplanationView, AccessPathView, ExplainAccessQuery, RightView } from './access.dto.js';
import { boundPrincipal, isInOrg } from './access-rows.js';

/** What decides the access of one principal. */
interface Finding {
  readonly paths: readonly AccessPath[];
  /** Why no path grants anything. */
  readonly denied?: 'membership' | 'scopes';
  /** Undefined for agents, groups and organizations, whose rights are explained by the role alone. */
  readonly permissions?: readonly Permission[];
}

const OUTSIDE: Finding = { paths: [], denied: 'membership' };

/** Explains what a principal may do with a collection, by the same paths that decide a request. */
@Injectable()
export class AccessExplanations {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly users: Users,
    private readonly agents: Agents,
    private readonly memberships: Memberships,
  ) {}

  async explain(
    { collection, membership }: Access,
    { principal_type: type, principal_id: id, record_id: recordId }: ExplainAccessQuery,
  ): Promise<AccessExplanationView> {
    if (recordId !== undefined)
      throw invalid('action: say with read, update or delete what record_id is about');
    if (type === undefined || type === 'key' || id === undefined)
      throw invalid(`principal_type, principal_id: name a principal of the type ${BOUND_TYPES.join(', ')}`);
    const { orgSlug } = membership;
    const { paths, denied, permissions } = await this.findingOf(collection, orgSlug, { type, id });
    const role = denied === undefined ? highestRole(paths) : undefined;
    return {
      object: 'collection.access_explanation',
      collection_id: collection.id,
      principal_type: type,
      principal_id: id,
      role: role ?? null,
      permissions: permissions === undefined ? null : [...permissions],
      rights: (Object.keys(COLLECTION_RIGHTS) as CollectionRight[]).map(right =>
        rightView(right, role, permissions),
      ),
      paths: [
        ...(denied === undefined ? [] : [{ path: denied, outcome: 'denies' } as const]),
        ...paths.map(path => pathView(orgSlug, path)),
      ],
    };
  }

  private async findingOf(
    collection: BoundCollection,
    orgSlug: string,
    { type, id }: { readonly type: BoundType; readonly id: string },
  ): Promise<Finding> {
    if (type === 'user') return this.ofUser(collection, id);
    if (type === 'agent') return this.ofAgent(collection, id);
    const principal = boundPrincipal(orgSlug, type, id);
    const exists = principal && (await isInOrg(this.source.manager, collection.orgId, principal));
    if (principal === undefined || !exists) return OUTSIDE;
    const { bindings } = collection;
    const { groupSlug } = principal;
    if (groupSlug === null) {
      const path = principal.principalType as SharedWith;
      return { paths: [{ path, role: boundGrant(bindings, path)?.role }] };
    }
    const role = boundGrant(bindings, 'group', groupSlug)?.role;
    const org = { path: 'org', role: boundGrant(bindings, 'org')?.role } as const;
    return { paths: [{ path: 'group', group: groupSlug, role }, org] };
  }

  /** The answer is the same for a user who is disabled, in another organization, or does not exist. */
  private async ofUser(collection: BoundCollection, id: string): Promise<Finding> {
    const user = await this.users.find(id);
    if (user?.status !== 'active') return OUTSIDE;
    const membership = (await this.memberships.of(user.id)).find(each => each.orgId === collection.orgId);
    if (membership === undefined) return OUTSIDE;
    return {
      paths: accessPaths({ type: 'user', id: user.id, anonymous: user.anonymous }, membership, collection),
      permissions: membership.permissions,
      ...(outsideScopes(membership, collection) && { denied: 'scopes' as const }),
    };
  }

  private async ofAgent(collection: BoundCollection, id: string): Promise<Finding> {
    const agent = await this.agents.find(collection.orgId, id);
    if (agent === undefined) return OUTSIDE;
    return {
      paths: accessPaths(
        { type: 'agent', id: agent.id, anonymous: false },
        { role: undefined, groups: [] },
        collection,
      ),
    };
  }
}

function outsideScopes({ scopes }: Membership, { id }: BoundCollection): boolean {
  return !scopeReaches(scopes, 'collections', id);
}

function pathView(orgSlug: string, { path, group, role }: AccessPath): AccessPathView {
  return {
    path,
    ...(group !== undefined && { principal_id: `${orgSlug}:${group}` }),
    outcome: role === undefined ? 'none' : 'grants',
    ...(role !== undefined && { role }),
  };
}

function rightView(
  right: CollectionRight,
  role: CollectionRole | undefined,
  permissions: readonly Permission[] | undefined,
): RightView {
  const needed = COLLECTION_RIGHTS[right];
  const reaches = role !== undefined && roleReaches(role, needed.role);
  const held = permissions === undefined || covers(permissions, needed.permission);
  const missing = reaches ? (held ? undefined : 'permission') : 'role';
  return {
    right,
    allowed: missing === undefined,
    needs_role: needed.role,
    needs_permission: needed.permission,
    ...(missing !== undefined && { missing }),
  };
}
