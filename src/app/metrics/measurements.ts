import { within } from '../../base/kernel/bounds/deadline.js';
import type { Statements } from '../../platform/database/statements.js';
import type { Answered } from '../../platform/http/request-log.js';

const NAME = 'http_request_duration_seconds';
const HELP = 'Requests by route, method and class of status; requests that the client aborted are in 4xx';
/** Seconds. Reads are answered in a few milliseconds, exports and streams in minutes. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/** Label of requests without a route: unknown paths must not become labels. */
const NO_ROUTE = 'none';

interface Durations {
  readonly labels: string;
  /** Number of requests per bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * The only metric that is recorded with each request. The histogram of prom-client sorts and joins labels each time,
 * which takes about 3 µs. This one builds the labels once per route, method and status class, so a request costs two
 * map look-ups.
 */
export class RequestDurations {
  // biome-ignore lint/plugin/bounded-maps: routes
  private readonly routes = new Map<string, Map<string, Durations>>();

  /** Records a request under the pattern of its route, its method and its status class. */
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

/** Collectors usually time out after ten seconds, so a slow database must not delay the other metrics. */
const ANSWER_WITHIN_MS = 2_000;
/** Counting stops at this number, because counting further is expensive and of no use. */
const COUNT_TO = 100_000;
/** Collections whose histories are shown one by one, so that the number of series is bounded. */
const LARGEST_HISTORIES = 20;

const LOOK = `
  SELECT
    (SELECT json_object_agg(name, extract(epoch FROM finished_at)) FROM job_runs WHERE finished_at IS NOT NULL),
    (SELECT count(*)::int FROM (
      SELECT FROM webhook_deliveries WHERE status = 'pending' LIMIT ${COUNT_TO}) p),
    (SELECT count(*)::int FROM (
      SELECT FROM webhooks w JOIN LATERAL (
        SELECT FROM webhook_deliveries WHERE webhook_id = w.id AND status = 'dead' LIMIT 1000) d ON true
      LIMIT ${COUNT_TO}) d),
    (SELECT greatest(0, extract(epoch FROM clock_timestamp() - min(d.due_at)))::float8
      FROM webhooks w JOIN LATERAL (
        SELECT due_at FROM webhook_deliveries WHERE webhook_id = w.id AND status = 'pending'
        ORDER BY due_at LIMIT 1) d ON true
      WHERE w.status = 'active'),
    (SELECT sum(history_bytes)::float8 FROM collections WHERE history_bytes > 0),
    (SELECT json_object_agg(id, history_bytes) FROM (
      SELECT id, history_bytes FROM collections WHERE history_bytes > 0
      ORDER BY history_bytes DESC LIMIT ${LARGEST_HISTORIES}) h)`;

type LookRow = [
  successes: Record<string, number> | null,
  pending: number,
  dead: number,
  lag: number | null,
  historyBytes: number | null,
  largest: Record<string, number> | null,
];

/** Figures that all instances share, as they were at the last refresh. */
export class DatabaseState {
  isUp = false;
  /** Unix time in seconds of the last successful run by job. A running or failed run does not change it. */
  // biome-ignore lint/plugin/bounded-maps: jobs
  readonly lastSuccess = new Map<string, number>();
  outbox = { pending: 0, dead: 0, lagSeconds: 0 };
  /** Bytes of all histories, and those of the largest by collection. */
  histories: { total: number; largest: Readonly<Record<string, number>> } = { total: 0, largest: {} };

  constructor(private readonly statements: Pick<Statements, 'run'>) {}

  /** Never rejects. A database that does not answer in time counts as down, and the last figures stay. */
  async refresh(): Promise<void> {
    const looked = this.look().then(
      () => true,
      () => false,
    );
    this.isUp = await within(ANSWER_WITHIN_MS, looked, () => false);
  }

  private async look(): Promise<void> {
    const [row] = await this.statements.run(LOOK, []);
    const [successes, pending, dead, lag, total, largest] = row as LookRow;
    for (const [job, at] of Object.entries(successes ?? {})) this.lastSuccess.set(job, at);
    this.outbox = { pending, dead, lagSeconds: lag ?? 0 };
    this.histories = { total: total ?? 0, largest: largest ?? {} };
  }
}
