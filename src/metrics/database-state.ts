import type { Statements } from '../database/statements.js';
import { within } from '../kernel/within.js';

/** Who collects metrics gives up after ten seconds, as a rule: until then the rest has to be told. */
const ANSWER_WITHIN_MS = 2_000;
/** Beyond this a backlog is a backlog: counting on would only cost more. */
const COUNT_TO = 100_000;

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
      WHERE w.status = 'active')`;

type LookRow = [Record<string, number> | null, number, number, number | null];

/** What all instances share, as it was at the last look. */
export class DatabaseState {
  isUp = false;
  /** Unix seconds by job. A run under way or failed does not make one forget when the last one ended well. */
  readonly lastSuccess = new Map<string, number>();
  outbox = { pending: 0, dead: 0, lagSeconds: 0 };

  constructor(private readonly statements: Pick<Statements, 'run'>) {}

  /** Never rejects: a database that does not answer in time is down, and what was known stays. */
  async refresh(): Promise<void> {
    const looked = this.look().then(
      () => true,
      () => false,
    );
    this.isUp = await within(ANSWER_WITHIN_MS, looked, () => false);
  }

  private async look(): Promise<void> {
    const [row] = await this.statements.run(LOOK, []);
    const [successes, pending, dead, lag] = row as LookRow;
    for (const [job, at] of Object.entries(successes ?? {})) this.lastSuccess.set(job, at);
    this.outbox = { pending, dead, lagSeconds: lag ?? 0 };
  }
}
