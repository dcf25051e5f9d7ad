import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Raw, Repository } from 'typeorm';
import { isUuid, newId } from '../../base/kernel/id.js';
import { unlessTaken } from '../../base/kernel/sql-state.js';
import { Agent, User } from './identity.entity.js';

export type NewUser = Partial<
  Pick<
    User,
    | 'id'
    | 'email'
    | 'emailVerified'
    | 'firstName'
    | 'lastName'
    | 'anonymous'
    | 'homeOrgId'
    | 'createdAt'
    | 'lastSeenAt'
  >
>;

@Injectable()
export class Users {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  async find(id: string): Promise<User | undefined> {
    return isUuid(id) ? ((await this.users.findOneBy({ id })) ?? undefined) : undefined;
  }

  /** Finds a user by a proven e-mail address, without regard to case. Unproven addresses do not count: anybody can enter one. */
  async findByEmail(email: string): Promise<User | undefined> {
    const ofEmail = { email: Raw(column => `lower(${column}) = lower(:email)`, { email }) };
    return (await this.users.findOneBy({ ...ofEmail, emailVerified: true })) ?? undefined;
  }

  /** Creates a user. Throws 409 when another user has the e-mail address. */
  async create(manager: EntityManager, user: NewUser): Promise<User> {
    const created = manager.create(User, { id: newId(), ...user });
    await unlessTaken(
      manager.insert(User, created),
      'There is already a user with this e-mail address.',
      'users_email_key',
    );
    return created;
  }
}

/** Looks agents up, always within one organization. */
@Injectable()
export class Agents {
  constructor(@InjectRepository(Agent) private readonly agents: Repository<Agent>) {}

  async find(orgId: string, id: string): Promise<Agent | undefined> {
    return isUuid(id) ? ((await this.agents.findOneBy({ orgId, id })) ?? undefined) : undefined;
  }

  /** Returns the ids that are not agents of the organization. */
  async unknown(orgId: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = await this.agents.findBy({ orgId, id: In(ids.filter(isUuid)) });
    const known = new Set(found.map(agent => agent.id));
    return ids.filter(id => !known.has(id.toLowerCase()));
  }
}
