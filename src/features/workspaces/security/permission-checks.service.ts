import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Users } from '../../identity/users.service.js';
import { Memberships } from '../../orgs/members/memberships.service.js';
import type { WorkspaceAbility } from '../rules/ability.js';
import { WorkspaceCollaborator } from '../workspace.entity.js';
import { accessTo, type WorkspaceAccess } from '../workspace-access.js';
import type { WorkspaceRow } from '../workspace-rows.js';
import type { CheckBody, VerdictView } from './security.dto.js';

/** Answers what the caller may do in a workspace or, for those who administer it, what another person may do. */
@Injectable()
export class PermissionChecks {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly users: Users,
    private readonly memberships: Memberships,
  ) {}

  /** 403 for the rights of somebody else unless the caller administers the workspace. */
  async check(access: WorkspaceAccess, body: CheckBody): Promise<VerdictView> {
    const { action, subject, resource, userId } = body;
    if (userId === undefined) return access.ability.ask(action, subject, resource);
    if (!access.administers) {
      throw new PlatformError(
        'Forbidden',
        'userId: only people who administer the workspace may check the rights of others.',
      );
    }
    const ability = await this.abilityOf(access.workspace, userId);
    if (ability === undefined) return { allowed: false, reason: 'This person does not see the workspace.' };
    return ability.ask(action, subject, resource);
  }

  /** The rights of a person with an access token, which has no session; undefined for those who do not see the workspace. */
  private async abilityOf(workspace: WorkspaceRow, userId: string): Promise<WorkspaceAbility | undefined> {
    const [user, memberships, collaborator] = await Promise.all([
      this.users.find(userId),
      this.memberships.of(userId),
      this.source.manager.findOneBy(WorkspaceCollaborator, { workspaceId: workspace.id, userId }),
    ]);
    if (user?.status !== 'active') return undefined;
    const person = {
      ...({ type: 'user', id: userId, memberships } as const),
      sessionId: undefined,
      narrowedTo: undefined,
    };
    return accessTo(person, { ...workspace, role: collaborator?.role ?? null })?.ability;
  }
}
