import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { AddOrgDomainBody, OrgDomainListView, OrgDomainView } from './org-domain.dto.js';
import { OrgDomains } from './org-domains.service.js';

const MANAGE = { org: 'orgs:sso:manage' } as const;

@ApiTags('Sign-in providers')
@ApiParam({ name: 'orgSlug', example: 'default' })
@Controller('v2/orgs/:orgSlug/domains')
export class OrgDomainsController {
  constructor(private readonly domains: OrgDomains) {}

  @Get()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'List the e-mail domains that the organization claims or has proven' })
  @ApiOkResponse({ type: OrgDomainListView })
  listOrgDomains(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.domains.list(membership, page);
  }

  @Post()
  @AdmittedWrites()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Claim an e-mail domain; the response has the DNS record that proves it' })
  @ApiCreatedResponse({ type: OrgDomainView })
  @ApiConflictResponse({
    description: 'The organization already claims the domain, or has reached its maximum number of domains.',
  })
  addOrgDomain(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: AddOrgDomainBody,
  ) {
    return this.domains.add(call, membership, body.domain);
  }

  @Post(':domain/verify')
  @HttpCode(200)
  @Limited('domain-checks')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Verify a domain by looking up its DNS record' })
  @ApiParam({ name: 'domain', example: 'acme.example' })
  @ApiOkResponse({ type: OrgDomainView })
  @ApiConflictResponse({
    description:
      'The DNS record is missing or has another value, or another organization has proven the domain.',
  })
  verifyOrgDomain(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('domain') domain: string,
  ) {
    return this.domains.verify(call, membership, domain);
  }

  @Delete(':domain')
  @AdmittedWrites()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Remove a domain' })
  @ApiParam({ name: 'domain', example: 'acme.example' })
  @ApiOkResponse({ type: DoneView })
  removeOrgDomain(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('domain') domain: string,
  ) {
    return this.domains.remove(call, membership, domain);
  }
}
