import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@typed-collections/client/api';
import { api } from '../../api/client.js';

/** The beginning of the keys of everything about the organization, so that a change reads it again. */
export const ORGANIZATION = ['organization'] as const;

/** The most items of one page of a list. */
export const PER_PAGE = 100;

type List<T> = (
  input: { orgSlug: string; limit: number; page: number },
  options: { signal: AbortSignal },
) => Promise<T>;

const list =
  <T>(name: string, read: List<T>) =>
  (orgSlug: string, page = 1) =>
    queryOptions({
      queryKey: [...ORGANIZATION, orgSlug, name, page],
      queryFn: ({ signal }) => read({ orgSlug, limit: PER_PAGE, page }, { signal }),
    });

export const membersQuery = list('members', api.members.listOrgMembers);
export const invitationsQuery = list('invitations', api.invitations.listOrgInvites);
export const rolesQuery = list('roles', api.roles.listOrgRoles);
export const groupsQuery = list('groups', api.groups.listOrgGroups);
export const agentsQuery = list('agents', api.agents.listOrgAgents);
export const serviceAccountsQuery = list('service-accounts', api.serviceAccounts.listServiceAccounts);
export const keysQuery = list('keys', api.organizationApiKeys.listOrgApiKeys);
export const providersQuery = list('providers', api.signInProviders.listSsoProviders);
export const domainsQuery = list('domains', api.signInProviders.listOrgDomains);
export const checkpointsQuery = list('checkpoints', api.organizationAudit.listOrgAuditCheckpoints);

export const organizationQuery = (orgSlug: string) =>
  queryOptions({
    queryKey: [...ORGANIZATION, orgSlug],
    queryFn: ({ signal }) => api.organizations.getOrg({ orgSlug }, { signal }),
  });

export type Member = Schemas['MemberView'];
export type Invitation = Schemas['InviteView'];
export type Role = Schemas['RoleView'];
export type Group = Schemas['GroupView'];
export type Agent = Schemas['AgentView'];
export type ServiceAccount = Schemas['ServiceAccountView'];
export type OrgKey = Schemas['OrgApiKeyView'];
export type Provider = Schemas['SsoProviderView'];
export type OrgDomain = Schemas['OrgDomainView'];
export type Checkpoint = Schemas['AuditCheckpointView'];
export type Organization = Schemas['OrgView'];
