import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { effectivePermissions, type Permission } from '../../base/kernel/permission.js';
import { activeMembership, type Membership } from '../../base/kernel/principal.js';
import { Org } from '../orgs/org.entity.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import type { ContextView, NestedPermissions } from './runtime.dto.js';

/** The variables that automations of a workspace see: who runs them, with which rights (spec 5.5). */
@Injectable()
export class WorkspaceContexts {
  constructor(@InjectRepository(Org) private readonly orgs: Repository<Org>) {}

  /** The permissions are those that the caller's credential reaches, so an automation has no more than its caller. */
  async of({ principal, correlationId }: Call, { workspace }: WorkspaceAccess): Promise<ContextView> {
    const membership = activeMembership(principal);
    const isUser = principal.type === 'user';
    const permissions = effectivePermissions(membership?.permissions ?? [], principal.narrowedTo);
    return {
      session: {
        id: principal.sessionId ?? null,
        org: membership === undefined ? null : await this.orgOf(membership, permissions),
      },
      user: {
        id: isUser ? principal.id : null,
        email: isUser ? principal.email : null,
        role: workspace.role,
        orgSlugs: isUser ? principal.memberships.map(({ orgSlug }) => orgSlug) : [],
      },
      run: {
        permissions: nestedPermissions(permissions),
        scopes: membership?.scopes ?? [],
        correlationId,
        sourceWorkspaceId: principal.type === 'workspace' ? principal.id : null,
      },
    };
  }

  private async orgOf(
    { orgId, orgSlug: slug, orgName: name, role, scopes, groups }: Membership,
    permissions: readonly string[],
  ): Promise<ContextView['session']['org']> {
    const { settings = {}, subscription = {} } = (await this.orgs.findOneBy({ id: orgId })) ?? {};
    return { slug, name, role: { slug: role ?? null, permissions, scopes }, groups, settings, subscription };
  }
}

/**
 * Permissions as nested objects, by their parts. `*` stands for a part that a permission does not name: the resource of
 * `product:action`, resource and action of `product:*`, all three of `*`.
 */
export function nestedPermissions(permissions: readonly Permission[]): NestedPermissions {
  const nested: NestedPermissions = {};
  for (const permission of permissions) {
    const [product = '*', ...rest] = permission.split(':');
    const [action = '*', resource = '*'] = rest.reverse();
    inner(inner(nested, product), resource)[action] = true;
  }
  return nested;
}

/** The object under a name, made when absent. Inherited names such as `constructor` are not taken for present. */
function inner<T extends object>(outer: Record<string, T>, name: string): T {
  if (!Object.hasOwn(outer, name)) outer[name] = {} as T;
  return outer[name] as T;
}
