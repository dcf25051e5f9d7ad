import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { ORGANIZATION } from '../lists.js';
import { type AuditSearch, filtersOf } from './search.js';

const PER_PAGE = 50;

/** The log, newest events first, page by page to older ones. */
export const auditQuery = (orgSlug: string, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: [...ORGANIZATION, orgSlug, 'audit', search],
    queryFn: ({ pageParam, signal }) =>
      api.organizationAudit.listOrgAuditEvents(
        { orgSlug, limit: PER_PAGE, cursor: pageParam, ...filtersOf(search) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
  });
