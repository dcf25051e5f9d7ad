import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';

/** The most items that one request lists. The page says so if there are more. */
const NEWEST = { limit: 100 };

/** The beginning of the keys of all lists of the page, so that a change reads them again. */
export const LISTS = ['account'] as const;

export const passkeysQuery = queryOptions({
  queryKey: [...LISTS, 'passkeys'],
  queryFn: ({ signal }) => api.authentication.listPasskeys(NEWEST, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: [...LISTS, 'sessions'],
  queryFn: ({ signal }) => api.authentication.listSessions(NEWEST, { signal }),
});

export const applicationsQuery = queryOptions({
  queryKey: [...LISTS, 'applications'],
  queryFn: ({ signal }) => api.authentication.listApplications(NEWEST, { signal }),
});

export const tokensQuery = queryOptions({
  queryKey: [...LISTS, 'tokens'],
  queryFn: ({ signal }) => api.authentication.listAccessTokens(NEWEST, { signal }),
});

export const invitationsQuery = queryOptions({
  queryKey: [...LISTS, 'invitations'],
  queryFn: ({ signal }) => api.organizations.listOwnInvitations(NEWEST, { signal }),
});
