import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@typed-collections/client/api';
import { api } from '../../api/client.js';
import { ORGANIZATION, PER_PAGE } from '../organization/lists.js';

export type Workspace = Schemas['WorkspaceView'];
export type Collaborator = Schemas['CollaboratorView'];
export type WorkspaceKey = Schemas['WorkspaceApiKeyView'];

/** Workspaces belong to an organization: what changes there may change who sees them. */
const WORKSPACES = [...ORGANIZATION, 'workspaces'] as const;

/** The workspaces of the active organization, newest first. The service lists those of all organizations. */
export const workspacesQuery = (orgSlug: string) =>
  infiniteQueryOptions({
    queryKey: [...WORKSPACES, orgSlug],
    queryFn: ({ pageParam, signal }) =>
      api.workspaces.listWorkspaces({ limit: PER_PAGE, page: pageParam }, { signal }),
    initialPageParam: 1,
    getNextPageParam: (page, pages) => (page.length < PER_PAGE ? undefined : pages.length + 1),
    select: ({ pages }) => pages.flat().filter(workspace => workspace.orgSlug === orgSlug),
  });

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...WORKSPACES, 'one', workspaceId],
    queryFn: ({ signal }) => api.workspaces.getWorkspace({ workspaceId }, { signal }),
  });

/** What the person may do with the workspace itself, as its rules decide. */
export const workspaceRightsQuery = ({ id: workspaceId }: Workspace) =>
  queryOptions({
    queryKey: [...WORKSPACES, 'one', workspaceId, 'rights'],
    queryFn: async ({ signal }) => {
      const resource = { id: workspaceId };
      const ask = (action: 'update' | 'delete') =>
        api.workspaces.checkWorkspacePermission(
          { workspaceId, action, subject: 'workspaces', resource },
          { signal },
        );
      const [context, update, remove] = await Promise.all([
        api.workspaces.getWorkspaceContext({ workspaceId }, { signal }),
        ask('update'),
        ask('delete'),
      ]);
      return { role: context.user.role, mayUpdate: update.allowed, mayDelete: remove.allowed };
    },
  });

export const securityQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...WORKSPACES, 'one', workspaceId, 'security'],
    queryFn: ({ signal }) => api.workspaces.getWorkspaceSecurity({ workspaceId }, { signal }),
  });

export const collaboratorsQuery = (workspaceId: string, page: number) =>
  queryOptions({
    queryKey: [...WORKSPACES, 'one', workspaceId, 'people', page],
    queryFn: ({ signal }) =>
      api.workspaces.listWorkspacePermissions({ workspaceId, limit: PER_PAGE, page }, { signal }),
  });

export const workspaceKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...WORKSPACES, 'one', workspaceId, 'keys'],
    queryFn: ({ signal }) =>
      api.workspaces.listWorkspaceApiKeys({ workspaceId, limit: PER_PAGE }, { signal }),
  });
