import { Injectable } from '@nestjs/common';
import type { PlatformRequest } from '../http/platform-request.js';
import { Agents } from '../identity/users.service.js';
import { PlatformError } from '../kernel/errors.js';
import { activeMembership, holds, membershipIn, type Principal } from '../kernel/principal.js';
import { membershipRequired } from '../orgs/org-lock.js';

/** Header with the id of the agent for which a user acts. */
const HEADER = 'x-platform-agent-id';

/** The agent for which a request wants to act. An organization in the path has precedence over the active one. */
export interface WantedAgent {
  readonly id: string;
  readonly orgSlug: string | undefined;
}

/** The agent that the request names, if it names one. */
export function wantedAgent({ headers, params }: PlatformRequest): WantedAgent | undefined {
  const id = headers[HEADER];
  // In lower case, so that the cache has one entry for one agent.
  return typeof id === 'string'
    ? { id: id.toLowerCase(), orgSlug: params.orgSlug as string | undefined }
    : undefined;
}

/** Lets a user act for an agent of the active organization (collections contract, "Who may do what"). */
@Injectable()
export class ActingAgents {
  constructor(private readonly agents: Agents) {}

  /**
   * The agent, with the user's rights in the active organization and in no other. Throws the same 403 for an unknown
   * agent, an agent of another organization and a user without `agents:act`.
   */
  async actFor(user: Principal, { id, orgSlug }: WantedAgent): Promise<Principal> {
    const membership = orgSlug === undefined ? activeMembership(user) : membershipIn(user, orgSlug);
    if (membership === undefined) throw membershipRequired();
    const may = user.type === 'user' && holds(user, membership, 'agents:act');
    const agent = may ? await this.agents.find(membership.orgId, id) : undefined;
    if (agent === undefined) {
      throw new PlatformError(
        'Forbidden',
        `${HEADER}: expects the id of an agent of the organization, and a user with the permission agents:act.`,
      );
    }
    return Object.freeze({
      ...user,
      type: 'agent',
      id: agent.id,
      slug: agent.slug,
      email: null,
      anonymous: false,
      memberships: [{ ...membership, role: undefined, roleName: undefined, groups: [] }],
      createdBy: user.id,
      actingUserId: user.id,
    });
  }
}
