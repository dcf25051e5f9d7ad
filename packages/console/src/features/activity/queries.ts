import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { type ActivitySearch, auditFilters } from './search.js';

export type Webhook = Awaited<ReturnType<typeof api.webhooks.listWebhooks>>['items'][number];
export type Delivery = Awaited<ReturnType<typeof api.webhooks.listDeliveries>>['items'][number];
export type DeliveryStatus = Delivery['status'];

const PER_PAGE = 50;

/** The newest events first, a page at a time. */
export const eventsQuery = (collection: string, search: ActivitySearch) =>
  infiniteQueryOptions({
    queryKey: ['events', collection, search],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      api.collections.listAuditEvents(
        { collection_id: collection, limit: PER_PAGE, cursor: pageParam, ...auditFilters(search) },
        { signal },
      ),
    getNextPageParam: page => page.next_cursor ?? undefined,
  });

export const webhooksQuery = (collection: string) =>
  queryOptions({
    queryKey: ['webhooks', collection],
    queryFn: ({ signal }) => api.webhooks.listWebhooks({ collection_id: collection }, { signal }),
  });

/** The beginning of the keys of the deliveries of one webhook. */
export const deliveriesKey = (webhook: string) => ['deliveries', webhook] as const;

/** The newest deliveries first. They are asked for again while one of them is on its way. */
export const deliveriesQuery = (collection: string, webhook: string, status: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey(webhook), status],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      api.webhooks.listDeliveries(
        {
          collection_id: collection,
          webhook_id: webhook,
          limit: PER_PAGE,
          cursor: pageParam,
          ...(status !== undefined && { status }),
        },
        { signal },
      ),
    getNextPageParam: page => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.some(each => each.status === 'pending') ? 2_000 : false,
  });
