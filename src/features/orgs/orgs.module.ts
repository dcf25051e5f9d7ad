import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrganizationStep } from '../../platform/http/access/access-step.js';
import { HttpModule } from '../../platform/http/http.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgAgentsController } from './agents/org-agents.controller.js';
import { OrgAgents } from './agents/org-agents.service.js';
import { ApiKeyMint } from './api-keys/api-key-mint.service.js';
import { ExpiredApiKeys, ManagedApiKeys } from './api-keys/managed-api-keys.service.js';
import { OrgApiKey } from './api-keys/org-api-key.entity.js';
import { OrgApiKeysController } from './api-keys/org-api-keys.controller.js';
import { OrgApiKeys } from './api-keys/org-api-keys.service.js';
import { DomainChecks, DomainRecords } from './domains/domain-checks.service.js';
import { OrgDomain } from './domains/org-domain.entity.js';
import { OrgDomainsController } from './domains/org-domains.controller.js';
import { OrgDomains } from './domains/org-domains.service.js';
import { Grantors } from './grantors.service.js';
import { GroupsController } from './groups/groups.controller.js';
import { Groups } from './groups/groups.service.js';
import { OrgInvite } from './invites/invite.entity.js';
import { InviteMint } from './invites/invite-mint.service.js';
import {
  InvitesController,
  JoiningController,
  OwnInvitationsController,
} from './invites/invites.controller.js';
import { EndedInvites, Invites } from './invites/invites.service.js';
import { Joining } from './invites/joining.service.js';
import { OwnInvitations } from './invites/own-invitations.service.js';
import { JoinRules } from './join-rules.service.js';
import { MembersController } from './members/members.controller.js';
import { Members } from './members/members.service.js';
import { OrgMembership } from './members/membership.entity.js';
import { Memberships } from './members/memberships.service.js';
import { Org } from './org.entity.js';
import { OrgAuditController } from './org-audit.controller.js';
import { OrgRemoval } from './org-removal.service.js';
import { OrganizationAccess } from './organization.step.js';
import { OrgsController } from './orgs.controller.js';
import { Orgs } from './orgs.service.js';
import { OrgRole } from './roles/role.entity.js';
import { RolesController } from './roles/roles.controller.js';
import { Roles } from './roles/roles.service.js';
import { ServiceAccount } from './service-accounts/service-account.entity.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccounts } from './service-accounts/service-accounts.service.js';
import { Providers } from './sso/providers.service.js';
import { SsoController } from './sso/sso.controller.js';
import { SsoProvider } from './sso/sso-provider.entity.js';
import { SsoProviders } from './sso/sso-providers.service.js';

@Module({
  imports: [
    IdentityModule,
    HttpModule,
    TypeOrmModule.forFeature([
      Org,
      OrgMembership,
      OrgRole,
      OrgApiKey,
      OrgInvite,
      ServiceAccount,
      SsoProvider,
      OrgDomain,
    ]),
  ],
  providers: [
    Orgs,
    JoinRules,
    OrgRemoval,
    { provide: OrganizationStep, useClass: OrganizationAccess },
    Memberships,
    Members,
    Roles,
    Groups,
    OrgAgents,
    Grantors,
    InviteMint,
    Invites,
    OwnInvitations,
    Joining,
    EndedInvites,
    ServiceAccounts,
    OrgApiKeys,
    ApiKeyMint,
    ManagedApiKeys,
    ExpiredApiKeys,
    Providers,
    SsoProviders,
    DomainRecords,
    OrgDomains,
    DomainChecks,
  ],
  exports: [
    Orgs,
    OrgRemoval,
    Providers,
    OrganizationStep,
    Memberships,
    Grantors,
    Joining,
    OrgApiKeys,
    ApiKeyMint,
    ExpiredApiKeys,
    EndedInvites,
    DomainChecks,
    Members,
    Roles,
    Groups,
    OrgAgents,
    Invites,
    OwnInvitations,
    ServiceAccounts,
    ManagedApiKeys,
    SsoProviders,
    OrgDomains,
    TypeOrmModule,
  ],
})
export class OrgsModule {}

/** Organizations over HTTP. Only a gateway imports it. */
@Module({
  imports: [OrgsModule, HttpModule, IdentityModule],
  controllers: [
    OrgsController,
    MembersController,
    RolesController,
    GroupsController,
    OrgAgentsController,
    OrgApiKeysController,
    InvitesController,
    JoiningController,
    OwnInvitationsController,
    ServiceAccountsController,
    SsoController,
    OrgDomainsController,
    OrgAuditController,
  ],
})
export class OrgRoutesModule {}
