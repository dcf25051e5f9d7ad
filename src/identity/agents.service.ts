import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { isUuid } from '../kernel/id.js';
import { Agent } from './agent.entity.js';

/** Looks agents up, always within one organization. */
@Injectable()
export class Agents {
  constructor(@InjectRepository(Agent) private readonly agents: Repository<Agent>) {}

  async find(orgId: string, id: string): Promise<Agent | undefined> {
    return isUuid(id) ? ((await this.agents.findOneBy({ orgId, id })) ?? undefined) : undefined;
  }

  /** Those of `ids` that are no agent of the organization. */
  async unknown(orgId: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = await this.agents.findBy({ orgId, id: In(ids.filter(isUuid)) });
    const known = new Set(found.map(agent => agent.id));
    return ids.filter(id => !known.has(id.toLowerCase()));
  }
}
