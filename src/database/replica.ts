import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Settings } from '../config/settings.js';
import { within } from '../kernel/within.js';
import { poolOptions } from './connection.js';
import type { PreparedNames } from './prepared-names.js';
import { ReadPipeline } from './read-pipeline.js';
import { SharedQuestion } from './shared-question.js';
import { PooledStatements } from './statements.js';

/** A read waits for so long until the replica has what the primary had. */
const CATCH_UP_WITHIN_MS = 50;
/** One that was too far behind, or away, is not asked again for so long. */
const LEFT_OUT_MS = 1_000;

/** Null on a server that is no standby, or no longer: it goes its own way. */
const REPLAYED = `
  SELECT (pg_last_wal_replay_lsn() - '0/0')::float8 WHERE pg_is_in_recovery()`;

/** A hot standby of the primary, with connections of its own. */
export class Replica {
  readonly statements: PooledStatements;
  readonly pipeline: ReadPipeline;
  private readonly pool: pg.Pool;
  private readonly position = new SharedQuestion(async () => {
    const [row] = await this.pipeline.run(REPLAYED, []);
    return (row?.[0] as number | null | undefined) ?? -1;
  });
  private replayed = -1;
  private leftOutUntil = 0;

  constructor(url: string, settings: Settings, names: PreparedNames) {
    this.pool = new pg.Pool({ connectionString: url, ...poolOptions(settings) });
    this.pool.on('error', () => this.leaveOut());
    this.statements = new PooledStatements(this.pool, names);
    this.pipeline = new ReadPipeline({ ...settings, DATABASE_URL: url, DATABASE_LISTEN_URL: url }, names);
  }

  get isUsable(): boolean {
    return performance.now() >= this.leftOutUntil;
  }

  leaveOut(): void {
    this.leftOutUntil = performance.now() + LEFT_OUT_MS;
  }

  /** False when the replica does not get to this position of the primary's log in time. Rejects when it is away. */
  async reaches(position: number): Promise<boolean> {
    if (this.replayed >= position) return true;
    const until = performance.now() + CATCH_UP_WITHIN_MS;
    return within(CATCH_UP_WITHIN_MS, this.catchUp(position, until), () => false);
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.pipeline.onApplicationShutdown()]);
  }

  private async catchUp(position: number, until: number): Promise<boolean> {
    for (;;) {
      this.replayed = await this.position.ask();
      if (this.replayed >= position) return true;
      if (performance.now() > until) return false;
      await pause(1);
    }
  }
}
