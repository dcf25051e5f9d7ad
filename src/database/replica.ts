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

/** A place in the log of a primary. After a failover another timeline may hold something else at the same place. */
export interface LogPosition {
  readonly timeline: number;
  readonly lsn: number;
}

/**
 * No row on a server that is not a standby, or not any longer: it has a log of its own. The timeline is that of the
 * control file, which any role may read. It follows the replayed timeline at the next restart point, and is never ahead.
 */
const REPLAYED = `
  SELECT (pg_last_wal_replay_lsn() - '0/0')::float8, greatest(c.timeline_id, r.min_recovery_end_timeline)
  FROM pg_control_checkpoint() c, pg_control_recovery() r WHERE pg_is_in_recovery()`;
const NOWHERE: LogPosition = { timeline: 0, lsn: -1 };

/** A hot standby of the primary, with connections of its own. */
export class Replica {
  readonly statements: PooledStatements;
  readonly pipeline: ReadPipeline;
  private readonly pool: pg.Pool;
  private readonly position = new SharedQuestion(async () => {
    const [row] = await this.pipeline.run(REPLAYED, []);
    const [lsn, timeline] = (row ?? [null]) as [number | null, number];
    return lsn === null ? NOWHERE : { timeline, lsn };
  });
  private replayed = NOWHERE;
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
  async reaches(position: LogPosition): Promise<boolean> {
    if (isReached(position, this.replayed)) return true;
    const until = performance.now() + CATCH_UP_WITHIN_MS;
    return within(CATCH_UP_WITHIN_MS, this.catchUp(position, until), () => false);
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.pipeline.onApplicationShutdown()]);
  }

  private async catchUp(position: LogPosition, until: number): Promise<boolean> {
    for (;;) {
      this.replayed = await this.position.ask();
      if (isReached(position, this.replayed)) return true;
      if (this.replayed.timeline !== position.timeline) return false;
      if (performance.now() > until) return false;
      await pause(1);
    }
  }
}

function isReached(position: LogPosition, replayed: LogPosition): boolean {
  return replayed.timeline === position.timeline && replayed.lsn >= position.lsn;
}
