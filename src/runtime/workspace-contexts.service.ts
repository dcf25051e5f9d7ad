import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Call } from '../kernel/call.js';
import { effectivePermissions } from '../kernel/permission.js';
import { activeMembership, type Membership } from '../kernel/principal.js';
import { Org } from '../orgs/org.entity.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import type { ContextView } from './context.view.js';
import { nestedPermissions } from './nested-permissions.js';

/** What automations of a workspace know of who runs them (spec 5.5). */
@Injectable()
export class WorkspaceContexts {
  constructor(@InjectRepository(Org) private readonly orgs: Repository<Org>) {}

  /** Rights as far as the caller's credential reaches: an automation has no more of them than its caller. */
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
