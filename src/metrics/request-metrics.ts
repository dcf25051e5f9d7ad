import type { Histogram } from 'prom-client';
import type { Answered } from '../http/logger.js';

/** Seconds. Reads are answered in a few milliseconds, exports and streams in minutes. */
export const REQUEST_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** What no route of ours has answered, whatever path was sent: a path that is made up must not become a label. */
const NO_ROUTE = 'none';

type RequestLabels = 'method' | 'route' | 'status';

/** Notes a request's answer under its route's pattern, its method and the class of its status. */
export function requestMetrics(durations: Pick<Histogram<RequestLabels>, 'observe'>): Answered {
  return (request, status, milliseconds) => {
    const route: unknown = request.route?.path;
    durations.observe(
      {
        method: request.method,
        route: typeof route === 'string' ? route : NO_ROUTE,
        status: `${Math.floor(status / 100)}xx`,
      },
      milliseconds / 1000,
    );
  };
}
