import { isAllowed } from '../../../api/permissions.js';
import type { MessageKey } from '../../../i18n/language.js';

/** The permissions that the service itself knows, by product, with what each allows. */
export const PRODUCTS = [
  {
    product: 'collections',
    title: 'organization.permCollections',
    permissions: {
      'collections:read': 'organization.permCollectionsRead',
      'collections:write': 'organization.permCollectionsWrite',
      'collections:create': 'organization.permCollectionsCreate',
      'collections:manage': 'organization.permCollectionsManage',
      'collections:share': 'organization.permCollectionsShare',
      'collections:keys': 'organization.permCollectionsKeys',
      'collections:delete': 'organization.permCollectionsDelete',
    },
  },
  {
    product: 'orgs',
    title: 'organization.permOrgs',
    permissions: {
      'orgs:manage': 'organization.permOrgsManage',
      'orgs:members:manage': 'organization.permMembers',
      'orgs:invites:manage': 'organization.permInvites',
      'orgs:roles:manage': 'organization.permRoles',
      'orgs:groups:manage': 'organization.permGroups',
      'orgs:apikeys:manage': 'organization.permKeys',
      'orgs:service-accounts:manage': 'organization.permServiceAccounts',
      'orgs:agents:manage': 'organization.permAgents',
      'orgs:sso:manage': 'organization.permSso',
      'orgs:audit:read': 'organization.permAudit',
    },
  },
  {
    product: 'workspaces',
    title: 'organization.permWorkspaces',
    permissions: {
      'workspaces:read': 'organization.permWorkspacesRead',
      'workspaces:create': 'organization.permWorkspacesCreate',
      'workspaces:manage': 'organization.permWorkspacesManage',
    },
  },
  {
    product: 'agents',
    title: 'organization.permAgentsProduct',
    permissions: { 'agents:act': 'organization.permAgentsAct' },
  },
] as const satisfies readonly {
  readonly product: string;
  readonly title: MessageKey;
  readonly permissions: Readonly<Record<string, MessageKey>>;
}[];

const KNOWN: ReadonlySet<string> = new Set([
  '*',
  ...PRODUCTS.flatMap(({ product, permissions }) => [`${product}:*`, ...Object.keys(permissions)]),
]);

/** The permissions that no box of the form stands for: those of other products, and wildcards below a product. */
export function othersAmong(permissions: readonly string[]): string[] {
  return permissions.filter(each => !KNOWN.has(each));
}

/** True if another one of the permissions covers this one. */
export function isImplied(permissions: readonly string[], permission: string): boolean {
  return isAllowed({ permissions: permissions.filter(each => each !== permission) }, permission);
}
