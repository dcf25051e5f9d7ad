import { useQueryClient } from '@tanstack/react-query';
import { activityRoute } from '../../../api/routes.js';
import { deliveriesKey, webhooksQuery } from '../queries.js';

/** Reads the webhooks again, and the deliveries of one of them. */
export function useWebhookReload(): (webhook?: string) => Promise<unknown> {
  const { collection } = activityRoute.useParams();
  const queries = useQueryClient();
  return webhook =>
    Promise.all([
      queries.invalidateQueries({ queryKey: webhooksQuery(collection).queryKey }),
      queries.invalidateQueries({ queryKey: ['events', collection] }),
      webhook !== undefined && queries.invalidateQueries({ queryKey: deliveriesKey(webhook) }),
    ]);
}
