import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';
import { type AgentInfo, directoryOf, type GroupInfo, type MemberInfo } from './directory.js';

export type ApiKey = Awaited<ReturnType<typeof api.apiKeys.listApiKeys>>['items'][number];

/** The beginning of the keys of everything about access to a collection, so that a change reads it again. */
export const accessKey = (collection: string) => ['access', collection] as const;

const PER_REQUEST = 100;
const MOST_REQUESTS = 10;

interface Page<Item> {
  readonly results: readonly Item[];
  readonly total: number;
}

/** The items of a list, at most the first 1,000. */
async function allOf<Item>(
  read: (page: { page: number; limit: number }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; page <= MOST_REQUESTS; page++) {
    const { results, total } = await read({ page, limit: PER_REQUEST });
    items.push(...results);
    if (items.length >= total || results.length === 0) break;
  }
  return items;
}

export const keysQuery = (collection: string) =>
  queryOptions({
    queryKey: [...accessKey(collection), 'keys'],
    queryFn: ({ signal }) =>
      allOf<ApiKey>(async page => {
        const { items, total } = await api.apiKeys.listApiKeys(
          { collection_id: collection, ...page },
          { signal },
        );
        return { results: items, total };
      }),
  });

/** The people, groups and agents of an organization, whose names stand in place of their ids. */
export const directoryQuery = (orgSlug: string) =>
  queryOptions({
    queryKey: ['directory', orgSlug],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const [members, groups, agents] = await Promise.all([
        allOf<MemberInfo>(page => api.members.listOrgMembers({ orgSlug, ...page }, { signal })),
        allOf<GroupInfo>(page => api.groups.listOrgGroups({ orgSlug, ...page }, { signal })),
        allOf<AgentInfo>(page => api.agents.listOrgAgents({ orgSlug, ...page }, { signal })),
      ]);
      return directoryOf(orgSlug, { members, groups, agents });
    },
  });
