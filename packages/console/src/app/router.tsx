import {
  type AnyRoute,
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

interface Page<Module, Search> {
  /** A page about one thing sets its own title. */
  readonly title?: MessageKey;
  /** Reads what the address says about the page. */
  readonly search?: (given: Record<string, unknown>) => Search;
  /** Loads the code when somebody opens the page. */
  readonly load: () => Promise<Module>;
  readonly name: keyof Module & string;
}

function page<Parent extends AnyRoute, const Path extends string, Module, Search extends object = object>(
  parent: Parent,
  path: Path,
  { title, search, load, name }: Page<Module, Search>,
) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    // A page that reads nothing leaves what the address says to the pages below it.
    validateSearch: (search && onlyKnown(search)) as (given: Record<string, unknown>) => Search,
    staticData: { title },
    component: lazyRouteComponent(load as () => Promise<Record<string, never>>, name),
  });
}

/** The first of the pages below a route. */
function redirection<Parent extends AnyRoute>(parent: Parent, to: string) {
  return createRoute({
    getParentRoute: () => parent,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to, replace: true });
    },
  });
}

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

const collection = page(shell, '/collections/$collection', {
  load: () => import('./collection/collection-page.js'),
  name: 'CollectionPage',
});
const organization = page(shell, '/organization', {
  load: () => import('../features/organization/organization-page.js'),
  name: 'OrganizationPage',
});

const routeTree = root.addChildren([
  page(root, '/sign-in', {
    title: 'common.signIn',
    search: signInSearch,
    load: () => import('../features/account/sign-in-page.js'),
    name: 'SignInPage',
  }),
  page(root, '/signed-in', {
    title: 'common.signedInTitle',
    load: () => import('./session/signed-in-page.js'),
    name: 'SignedInPage',
  }),
  page(root, '/join', {
    search: joinSearch,
    load: () => import('../features/account/join-page.js'),
    name: 'JoinPage',
  }),
  shell.addChildren([
    redirection(shell, '/collections'),
    page(shell, '/collections', {
      title: 'collections.title',
      search: collectionsSearch,
      load: () => import('../features/collections/collections-page.js'),
      name: 'CollectionsPage',
    }),
    page(shell, '/import', {
      title: 'import.newTitle',
      load: () => import('../features/import/new-collection-page.js'),
      name: 'NewCollectionPage',
    }),
    collection.addChildren([
      page(collection, '/', {
        search: gridSearch,
        load: () => import('./records/records-page.js'),
        name: 'RecordsPage',
      }),
      page(collection, '/charts', {
        search: chartsSearch,
        load: () => import('../features/charts/charts-page.js'),
        name: 'ChartsPage',
      }),
      page(collection, '/import', {
        load: () => import('../features/import/import-page.js'),
        name: 'ImportPage',
      }),
      page(collection, '/schema', {
        load: () => import('../features/schema/schema-page.js'),
        name: 'SchemaPage',
      }),
      page(collection, '/access', {
        search: accessSearch,
        load: () => import('../features/rules/ruled-access-page.js'),
        name: 'RuledAccessPage',
      }),
      page(collection, '/activity', {
        search: activitySearch,
        load: () => import('../features/activity/activity-page.js'),
        name: 'ActivityPage',
      }),
    ]),
    page(shell, '/trash', {
      title: 'collections.trash_title',
      search: trashSearch,
      load: () => import('../features/trash/trash-page.js'),
      name: 'TrashPage',
    }),
    page(shell, '/account', {
      title: 'common.account',
      load: () => import('../features/account/account-page.js'),
      name: 'AccountPage',
    }),
    organization.addChildren([
      redirection(organization, '/organization/members'),
      page(organization, '/members', {
        title: 'organization.members',
        search: listSearch,
        load: () => import('../features/organization/members/members-page.js'),
        name: 'MembersPage',
      }),
      page(organization, '/invitations', {
        title: 'organization.invitations',
        search: listSearch,
        load: () => import('../features/organization/invitations-page.js'),
        name: 'InvitationsPage',
      }),
      page(organization, '/roles', {
        title: 'organization.roles',
        search: listSearch,
        load: () => import('../features/organization/roles-page.js'),
        name: 'RolesPage',
      }),
      page(organization, '/groups', {
        title: 'organization.groups',
        search: listSearch,
        load: () => import('../features/organization/groups/groups-page.js'),
        name: 'GroupsPage',
      }),
      page(organization, '/keys', {
        title: 'organization.keys',
        search: listSearch,
        load: () => import('../features/organization/keys/keys-page.js'),
        name: 'KeysPage',
      }),
      page(organization, '/service-accounts', {
        title: 'organization.serviceAccounts',
        search: listSearch,
        load: () => import('../features/organization/programs/service-accounts-page.js'),
        name: 'ServiceAccountsPage',
      }),
      page(organization, '/agents', {
        title: 'organization.agents',
        search: listSearch,
        load: () => import('../features/organization/programs/agents-page.js'),
        name: 'AgentsPage',
      }),
      page(organization, '/sign-in', {
        title: 'organization.signIn',
        load: () => import('../features/organization/sign-in/sign-in-page.js'),
        name: 'SingleSignOnPage',
      }),
      page(organization, '/audit', {
        title: 'organization.audit',
        search: auditSearch,
        load: () => import('../features/organization/audit/audit-page.js'),
        name: 'AuditPage',
      }),
      page(organization, '/settings', {
        title: 'organization.settings',
        load: () => import('../features/organization/settings/settings-page.js'),
        name: 'SettingsPage',
      }),
    ]),
    page(shell, '/workspaces', {
      title: 'workspaces.title',
      load: () => import('../features/workspaces/workspaces-page.js'),
      name: 'WorkspacesPage',
    }),
    page(shell, '/workspaces/$workspace', {
      search: listSearch,
      load: () => import('../features/workspaces/workspace-page.js'),
      name: 'WorkspacePage',
    }),
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
