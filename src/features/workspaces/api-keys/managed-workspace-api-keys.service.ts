import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { inWorkspace, type WorkspaceKeyRule } from '../../../base/kernel/permission.js';
import { creatorOf } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { sentChange } from '../../orgs/right.fields.js';
import { assertConditions } from '../rules/conditions.js';
import { listOf } from '../rules/workspace-rule.js';
import { type Workspace, WorkspaceApiKey } from '../workspace.entity.js';
import type { WorkspaceAccess } from '../workspace-access.js';
import { lockWorkspace } from '../workspace-rows.js';
import {
  type KeyRuleBody,
  MintedWorkspaceApiKeyView,
  type MintWorkspaceApiKeyBody,
  type UpdateWorkspaceApiKeyBody,
  WorkspaceApiKeyView,
} from './api-key.dto.js';
import { keyPrefix, newKeyText } from './workspace-api-keys.service.js';

/** The API keys of a workspace. Administrators may do everything in it, so no key can do more than its creator. */
@Injectable()
export class ManagedWorkspaceApiKeys {
  constructor(
    @InjectRepository(WorkspaceApiKey) private readonly rows: Repository<WorkspaceApiKey>,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async list({ workspace }: WorkspaceAccess, page: Page): Promise<ResultList<WorkspaceApiKeyView>> {
    return pageOfRows(
      this.rows,
      { where: { workspaceId: workspace.id }, order: { id: 'ASC' } },
      page,
      WorkspaceApiKeyView.of,
    );
  }

  mint(
    call: Call,
    { workspace }: WorkspaceAccess,
    { name, rules: bodies }: MintWorkspaceApiKeyBody,
  ): Promise<MintedWorkspaceApiKeyView> {
    const secret = newKeyText();
    const rules = keyRules(bodies, workspace.id);
    return this.transactions.run(async manager => {
      await lockWorkspace(manager, workspace);
      const key = manager.create(WorkspaceApiKey, {
        id: newId(),
        workspaceId: workspace.id,
        name,
        rules,
        secretHash: this.secrets.hash(secret),
        prefix: keyPrefix(secret),
        createdBy: creatorOf(call.principal),
        createdAt: this.clock.now(),
        lastUsedAt: null,
      });
      await manager.insert(WorkspaceApiKey, key as object);
      await this.record(manager, call, workspace.orgId, 'minted', key, { after: loggable(key) });
      return { ...WorkspaceApiKeyView.of(key), apiKey: secret };
    });
  }

  update(
    call: Call,
    { workspace }: WorkspaceAccess,
    id: string,
    body: UpdateWorkspaceApiKeyBody,
  ): Promise<WorkspaceApiKeyView> {
    const rules = body.rules && keyRules(body.rules, workspace.id);
    const change = sentChange({ name: body.name, rules });
    return this.transactions.run(async manager => {
      const before = await this.find(manager, workspace, id);
      const after = manager.create(WorkspaceApiKey, { ...before, ...change });
      await manager.update(WorkspaceApiKey, id, change as object);
      const changes = { before: loggable(before), after: loggable(after) };
      await this.record(manager, call, workspace.orgId, 'updated', after, changes);
      return WorkspaceApiKeyView.of(after);
    });
  }

  revoke(call: Call, { workspace }: WorkspaceAccess, id: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const key = await this.find(manager, workspace, id);
      await manager.delete(WorkspaceApiKey, key.id);
      await this.record(manager, call, workspace.orgId, 'revoked', key, { before: loggable(key) });
      return { success: true };
    });
  }

  private async find(manager: EntityManager, workspace: Workspace, id: string): Promise<WorkspaceApiKey> {
    await lockWorkspace(manager, workspace);
    const key = isUuid(id)
      ? await manager.findOneBy(WorkspaceApiKey, { workspaceId: workspace.id, id })
      : null;
    if (key === null) throw new PlatformError('NotFound', 'The workspace has no API key with this id.');
    return key;
  }

  private record(
    manager: EntityManager,
    call: Call,
    orgId: string,
    act: 'minted' | 'updated' | 'revoked',
    { id, name }: WorkspaceApiKey,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    const target = { type: 'apikey', id, name };
    return this.audit.record(manager, call, orgId, { type: `workspaces.apikeys.${act}`, target, changes });
  }
}

/** The rules of a key, restricted to the workspace. */
function keyRules(bodies: readonly KeyRuleBody[], workspaceId: string): WorkspaceKeyRule[] {
  return bodies.map(({ action, subject, conditions }, index) => {
    if (conditions !== undefined) assertConditions(conditions, `rules.${index}.conditions`);
    return {
      action: listOf(action),
      subject,
      conditions: { ...conditions, ...inWorkspace(subject, workspaceId) },
    };
  });
}

/** What audit events contain of a key: never its secret or its hash. */
function loggable({ workspaceId, name, rules }: WorkspaceApiKey): object {
  return { workspaceId, name, rules };
}
