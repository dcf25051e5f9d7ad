import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { Agent } from '../../identity/identity.entity.js';
import { ApiKeyMint } from '../api-keys/api-key-mint.service.js';
import { OrgApiKey } from '../api-keys/org-api-key.entity.js';
import { lockOrg } from '../org-lock.js';
import { NameField, SlugField, sentChange } from '../right.fields.js';

export class CreateAgentBody {
  @SlugField({ description: 'Unique in the organization.', example: 'importer' })
  slug: string;

  @NameField({ example: 'Importer' })
  name: string;
}

export class UpdateAgentBody {
  @NameField({ optional: true, example: 'Night importer' })
  name?: string;
}

export class AgentView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'importer' }) slug: string;
  @ApiProperty({ example: 'Importer' }) name: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, { id, slug, name, createdAt, updatedAt }: Agent): AgentView {
    return { id, slug, name, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  }
}

export class AgentListView {
  @ApiProperty({ type: [AgentView] }) results: AgentView[];
  @ApiProperty() total: number;
}

@Injectable()
export class OrgAgents {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly apiKeyMint: ApiKeyMint,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  async list({ orgId }: Membership, page: Page): Promise<ResultList<AgentView>> {
    return pageOfRows(
      this.source.manager.getRepository(Agent),
      { where: { orgId }, order: { id: 'ASC' } },
      page,
      AgentView.of,
    );
  }

  create(call: Call, { orgId }: Membership, { slug, name }: CreateAgentBody): Promise<AgentView> {
    const now = this.clock.now();
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      await this.capacity.assertRoom(manager, 'agents', orgId);
      const agent = manager.create(Agent, { id: newId(), orgId, slug, name, createdAt: now, updatedAt: now });
      await unlessTaken(
        manager.insert(Agent, agent),
        `slug: another agent of the organization already has the slug ${slug}.`,
      );
      await this.record(manager, call, 'created', agent, { after: { name } });
      return AgentView.of(agent);
    });
  }

  update(call: Call, membership: Membership, id: string, body: UpdateAgentBody): Promise<AgentView> {
    const change = { ...sentChange(body), updatedAt: this.clock.now() };
    return this.transactions.run(async manager => {
      const before = await this.find(manager, membership, id);
      const after = manager.create(Agent, { ...before, ...change });
      await manager.update(Agent, id, change);
      await this.record(manager, call, 'updated', after, {
        before: { name: before.name },
        after: { name: after.name },
      });
      return AgentView.of(after);
    });
  }

  /**
   * Revokes its keys too. 409 while it owns collections, which would be left without an owner. Its collections in the
   * trash cannot be restored afterwards.
   */
  delete(call: Call, membership: Membership, id: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const agent = await this.find(manager, membership, id);
      const owned = `SELECT 1 FROM collections
        WHERE owner_type = 'agent' AND owner_id = $1 AND deleted_at IS NULL LIMIT 1`;
      if ((await manager.query(owned, [id])).length > 0) {
        throw new PlatformError('Conflict', 'The agent owns collections. Delete them first.');
      }
      const keys = await manager.findBy(OrgApiKey, { ownerType: 'agent', ownerId: id });
      for (const key of keys) await this.apiKeyMint.revoke(manager, call, key);
      await manager.delete(Agent, id);
      await this.record(manager, call, 'deleted', agent, { before: { name: agent.name } });
      return { success: true };
    });
  }

  private async find(manager: EntityManager, { orgId }: Membership, id: string): Promise<Agent> {
    const lock = { mode: 'pessimistic_write' } as const;
    const agent = isUuid(id) ? await manager.findOne(Agent, { where: { orgId, id }, lock }) : null;
    if (agent === null) throw new PlatformError('NotFound', 'The organization has no agent with this id.');
    return agent;
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: string,
    { id, slug, orgId }: Agent,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    const target = { type: 'agent', id, name: slug };
    return this.audit.record(manager, call, orgId, { type: `orgs.agents.${act}`, target, changes });
  }
}
