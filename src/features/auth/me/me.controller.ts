import { Controller, Get, Injectable, Put } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { effectivePermissions } from '../../../base/kernel/permission.js';
import {
  activeMembership,
  type Membership,
  membershipIn,
  type Principal,
} from '../../../base/kernel/principal.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import { Users } from '../../identity/users.service.js';
import { Org } from '../../orgs/org.entity.js';
import { membershipRequired } from '../../orgs/org-lock.js';
import { unauthorized } from '../sent-credential.js';
import { Sessions } from '../sessions/sessions.service.js';
import { ActiveOrgView, MeView, SwitchOrgBody } from './me.dto.js';

/** What a caller can read about itself: identity, memberships and permissions. */
@Injectable()
export class Me {
  constructor(
    @InjectRepository(Org) private readonly orgs: Repository<Org>,
    private readonly users: Users,
    private readonly sessions: Sessions,
  ) {}

  async show({ principal }: Call): Promise<MeView> {
    const active = activeMembership(principal);
    return {
      ...(await this.identity(principal)),
      orgSlugs: principal.memberships.map(membership => membership.orgSlug),
      sessionId: principal.sessionId ?? null,
      expires: principal.expiresAt === undefined ? null : new Date(principal.expiresAt * 1000).toISOString(),
      org: active === undefined ? null : await this.orgView(active),
      permissions:
        active === undefined ? [] : [...effectivePermissions(active.permissions, principal.narrowedTo)],
      organizations: principal.memberships.map(membership => ({
        slug: membership.orgSlug,
        name: membership.orgName,
        roleSlug: membership.role ?? null,
        groups: membership.groups,
      })),
    };
  }

  /** Makes an organization the active one of the session. Throws 403 unless the caller is a member. */
  async switchOrg(call: Call, orgSlug: string): Promise<ActiveOrgView> {
    const membership = membershipIn(call.principal, orgSlug);
    if (membership === undefined) throw membershipRequired();
    await this.sessions.activateOrg(call, orgSlug);
    return this.orgView(membership);
  }

  /** Keys, and people who act for an agent, see the principal that they act as. Other people see their user. */
  private async identity(principal: Principal): Promise<Partial<MeView>> {
    const { type, id, credential } = principal;
    if (type !== 'user' || (credential !== 'jwt' && credential !== 'access-token')) {
      return { principal: { type, id, slug: principal.slug ?? null } };
    }
    const user = await this.users.find(id);
    if (user === undefined) throw unauthorized();
    const { email, firstName, lastName, status } = user;
    return { id, email, firstName, lastName, status };
  }

  private async orgView(membership: Membership): Promise<ActiveOrgView> {
    const { settings, subscription } = await this.orgs.findOneByOrFail({ id: membership.orgId });
    return {
      slug: membership.orgSlug,
      name: membership.orgName,
      role: {
        slug: membership.role ?? null,
        name: membership.roleName ?? null,
        permissions: membership.permissions,
        scopes: membership.scopes,
      },
      groups: membership.groups,
      settings,
      subscription,
    };
  }
}

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'The request has no valid credential.' })
@Controller('v2')
export class MeController {
  constructor(private readonly me: Me) {}

  @Get('me')
  @Requires({ caller: 'any' })
  @ApiOperation({ summary: 'Read who you are and what you may do' })
  @ApiOkResponse({ type: MeView })
  getMe(@Calling() call: Call): Promise<MeView> {
    return this.me.show(call);
  }

  @Put('user/active-org')
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Switch the active organization of your session' })
  @ApiOkResponse({ type: ActiveOrgView })
  @ApiForbiddenResponse({
    description: 'The caller is not a member of the organization, or did not use a session JWT.',
  })
  switchOrg(@Calling() call: Call, @Body() body: SwitchOrgBody): Promise<ActiveOrgView> {
    return this.me.switchOrg(call, body.orgSlug);
  }
}
