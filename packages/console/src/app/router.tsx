import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { queryClient } from '../api/query-client.js';
import { meQuery } from '../api/session.js';
import { accessSearch } from '../features/access/search.js';
import { joinSearch, signInSearch } from '../features/account/search.js';
import { activitySearch } from '../features/activity/search.js';
import { chartsSearch } from '../features/charts/search.js';
import { collectionsSearch } from '../features/collections/search.js';
import { auditSearch } from '../features/organization/audit/search.js';
import { listSearch } from '../features/organization/search.js';
import { trashSearch } from '../features/trash/search.js';
import type { MessageKey } from '../i18n/language.js';
import { gridSearch } from '../records/grid/search.js';
import { longSearch } from '../values/long-search.js';
import { onlyKnown } from './only-known.js';
import { NotFound, PageError, Root } from './root.js';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: onlyKnown(signInSearch),
  staticData: { title: 'common.signIn' },
  component: lazyRouteComponent(() => import('../features/account/sign-in-page.js'), 'SignInPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  staticData: { title: 'common.signedInTitle' },
  component: lazyRouteComponent(() => import('./session/signed-in-page.js'), 'SignedInPage'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  validateSearch: onlyKnown(joinSearch),
  component: lazyRouteComponent(() => import('../features/account/join-page.js'), 'JoinPage'),
});

/** Every page below needs somebody who is signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    await queryClient.ensureQueryData(meQuery).catch((error: unknown) => {
      if (error instanceof TcError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { next: location.publicHref } });
      }
      throw error;
    });
  },
  component: lazyRouteComponent(() => import('./shell/shell.js'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/collections', replace: true });
  },
});

const collections = createRoute({
  getParentRoute: () => shell,
  path: '/collections',
  validateSearch: onlyKnown(collectionsSearch),
  staticData: { title: 'collections.title' },
  component: lazyRouteComponent(
    () => import('../features/collections/collections-page.js'),
    'CollectionsPage',
  ),
});

const collection = createRoute({
  getParentRoute: () => shell,
  path: '/collections/$collection',
  component: lazyRouteComponent(() => import('./collection/collection-page.js'), 'CollectionPage'),
});

const records = createRoute({
  getParentRoute: () => collection,
  path: '/',
  validateSearch: onlyKnown(gridSearch),
  component: lazyRouteComponent(() => import('./records/records-page.js'), 'RecordsPage'),
});

const charts = createRoute({
  getParentRoute: () => collection,
  path: '/charts',
  validateSearch: onlyKnown(chartsSearch),
  component: lazyRouteComponent(() => import('../features/charts/charts-page.js'), 'ChartsPage'),
});

const importFile = createRoute({
  getParentRoute: () => collection,
  path: '/import',
  component: lazyRouteComponent(() => import('../features/import/import-page.js'), 'ImportPage'),
});

const schema = createRoute({
  getParentRoute: () => collection,
  path: '/schema',
  component: lazyRouteComponent(() => import('../features/schema/schema-page.js'), 'SchemaPage'),
});

const access = createRoute({
  getParentRoute: () => collection,
  path: '/access',
  validateSearch: onlyKnown(accessSearch),
  component: lazyRouteComponent(() => import('../features/access/access-page.js'), 'AccessPage'),
});

const activity = createRoute({
  getParentRoute: () => collection,
  path: '/activity',
  validateSearch: onlyKnown(activitySearch),
  component: lazyRouteComponent(() => import('../features/activity/activity-page.js'), 'ActivityPage'),
});

const trash = createRoute({
  getParentRoute: () => shell,
  path: '/trash',
  validateSearch: onlyKnown(trashSearch),
  staticData: { title: 'collections.trash_title' },
  component: lazyRouteComponent(() => import('../features/trash/trash-page.js'), 'TrashPage'),
});

const newFromFile = createRoute({
  getParentRoute: () => shell,
  path: '/import',
  staticData: { title: 'import.newTitle' },
  component: lazyRouteComponent(
    () => import('../features/import/new-collection-page.js'),
    'NewCollectionPage',
  ),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  staticData: { title: 'common.account' },
  component: lazyRouteComponent(() => import('../features/account/account-page.js'), 'AccountPage'),
});

const organization = createRoute({
  getParentRoute: () => shell,
  path: '/organization',
  component: lazyRouteComponent(
    () => import('../features/organization/organization-page.js'),
    'OrganizationPage',
  ),
});

const organizationHome = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/organization/members', replace: true });
  },
});

const organizationMembers = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.members' },
  component: lazyRouteComponent(
    () => import('../features/organization/members/members-page.js'),
    'MembersPage',
  ),
});

const organizationInvitations = createRoute({
  getParentRoute: () => organization,
  path: '/invitations',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.invitations' },
  component: lazyRouteComponent(
    () => import('../features/organization/invitations-page.js'),
    'InvitationsPage',
  ),
});

const organizationRoles = createRoute({
  getParentRoute: () => organization,
  path: '/roles',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.roles' },
  component: lazyRouteComponent(() => import('../features/organization/roles-page.js'), 'RolesPage'),
});

const organizationGroups = createRoute({
  getParentRoute: () => organization,
  path: '/groups',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.groups' },
  component: lazyRouteComponent(() => import('../features/organization/groups/groups-page.js'), 'GroupsPage'),
});

const organizationKeys = createRoute({
  getParentRoute: () => organization,
  path: '/keys',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.keys' },
  component: lazyRouteComponent(() => import('../features/organization/keys/keys-page.js'), 'KeysPage'),
});

const organizationServiceAccounts = createRoute({
  getParentRoute: () => organization,
  path: '/service-accounts',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.serviceAccounts' },
  component: lazyRouteComponent(
    () => import('../features/organization/programs/service-accounts-page.js'),
    'ServiceAccountsPage',
  ),
});

const organizationAgents = createRoute({
  getParentRoute: () => organization,
  path: '/agents',
  validateSearch: onlyKnown(listSearch),
  staticData: { title: 'organization.agents' },
  component: lazyRouteComponent(
    () => import('../features/organization/programs/agents-page.js'),
    'AgentsPage',
  ),
});

const organizationSignIn = createRoute({
  getParentRoute: () => organization,
  path: '/sign-in',
  staticData: { title: 'organization.signIn' },
  component: lazyRouteComponent(
    () => import('../features/organization/sign-in/sign-in-page.js'),
    'SingleSignOnPage',
  ),
});

const organizationAudit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: onlyKnown(auditSearch),
  staticData: { title: 'organization.audit' },
  component: lazyRouteComponent(() => import('../features/organization/audit/audit-page.js'), 'AuditPage'),
});

const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',

  staticData: { title: 'organization.settings' },
  component: lazyRouteComponent(
    () => import('../features/organization/settings/settings-page.js'),
    'SettingsPage',
  ),
});

const workspaces = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces',
  staticData: { title: 'workspaces.title' },
  component: lazyRouteComponent(() => import('../features/workspaces/workspaces-page.js'), 'WorkspacesPage'),
});

const workspace = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces/$workspace',
  validateSearch: onlyKnown(listSearch),
  component: lazyRouteComponent(() => import('../features/workspaces/workspace-page.js'), 'WorkspacePage'),
});

const organizationPages = organization.addChildren([
  organizationHome,
  organizationMembers,
  organizationInvitations,
  organizationRoles,
  organizationGroups,
  organizationKeys,
  organizationServiceAccounts,
  organizationAgents,
  organizationSignIn,
  organizationAudit,
  organizationSettings,
]);

const routeTree = root.addChildren([
  signIn,
  signedIn,
  join,
  shell.addChildren([
    home,
    collections,
    newFromFile,
    collection.addChildren([records, charts, importFile, schema, access, activity]),
    trash,
    account,
    organizationPages,
    workspaces,
    workspace,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  ...longSearch(() => sessionStorage),
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** The title of the page. A page about one thing sets its own. */
    readonly title?: MessageKey;
  }
}
