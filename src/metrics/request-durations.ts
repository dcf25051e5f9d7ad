import type { Answered } from '../http/logger.js';

const NAME = 'http_request_duration_seconds';
const HELP = 'Requests by route, method and class of status; who went before the answer is in 4xx';
/** Seconds. Reads are answered in a few milliseconds, exports and streams in minutes. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** What no route of ours has answered, whatever path was sent: a path that is made up must not become a label. */
const NO_ROUTE = 'none';

interface Durations {
  readonly labels: string;
  /** How many took no longer than each bound and longer than the one before; the last is beyond all of them. */
  readonly counts: number[];
  sum: number;
}

/**
 * The one metric that requests pay for. prom-client's histogram sorts and joins labels at each of them, for some 3 µs; here
 * they are put together once for each route, method and class, and a request costs two look-ups.
 */
export class RequestDurations {
  private readonly routes = new Map<string, Map<string, Durations>>();

  /** Notes a request under its route's pattern, its method and the class of its status. */
  readonly note: Answered = (request, status, milliseconds) => {
    const path: unknown = request.route?.path;
    const durations = this.of(typeof path === 'string' ? path : NO_ROUTE, request.method, status);
    const seconds = milliseconds / 1000;
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at += 1;
    durations.counts[at] = (durations.counts[at] as number) + 1;
    durations.sum += seconds;
  };

  /** A histogram in Prometheus' text format. */
  text(): string {
    const all = [...this.routes.values()].flatMap(route => [...route.values()]);
    return [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`, ...all.flatMap(lines), ''].join('\n');
  }

  private of(route: string, method: string, status: number): Durations {
    const key = method + ((status / 100) | 0);
    const known = this.routes.get(route)?.get(key);
    if (known !== undefined) return known;
    const labels = `method="${method}",route="${escaped(route)}",status="${Math.floor(status / 100)}xx"`;
    const durations = { labels, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
    const ofRoute = this.routes.get(route) ?? new Map<string, Durations>();
    this.routes.set(route, ofRoute.set(key, durations));
    return durations;
  }
}

function lines({ labels, counts, sum }: Durations): string[] {
  let count = 0;
  const buckets = counts.map((each, at) => {
    count += each;
    return `${NAME}_bucket{le="${BOUNDS[at] ?? '+Inf'}",${labels}} ${count}`;
  });
  return [...buckets, `${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${count}`];
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
