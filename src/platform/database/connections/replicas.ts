import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CallerGone, type Presence, within } from '../../../base/kernel/bounds/deadline.js';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { Settings } from '../../config/settings.js';
import { PooledStatements, type RowBound, type Rows } from '../statements.js';
import { poolOptions } from './options.js';
import { PreparedNames } from './prepared-names.js';
import { ReadPipeline } from './read-pipeline.js';
import { SharedQuestion } from './shared-question.js';

/** The position up to which the WAL contains every acknowledged write. Replicas are sent what is flushed. */
export const POSITION = `
  SELECT (CASE current_setting('synchronous_commit')
    WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::float8,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer`;
/** The statement was stopped at its timeout; on the primary it would take as long again. */
const TIMED_OUT = '57014';

/**
 * Runs reads on replicas with the same results as on the primary. A read begins when the replica has everything that
 * the primary had at the time of the request, whichever instance wrote it. Concurrent reads share one query for the
 * position of the primary.
 */
@Injectable()
export class Replicas implements OnApplicationShutdown {
  /** Reads that a replica served, and reads left to the primary. */
  readonly counts = { replica: 0, primary: 0 };
  private readonly replicas: readonly Replica[];
  private readonly position: SharedQuestion<LogPosition>;
  private next = 0;

  constructor(settings: Settings, names: PreparedNames, primary: ReadPipeline) {
    this.replicas = settings.DATABASE_REPLICA_URLS.map(url => new Replica(url, settings, names));
    this.position = new SharedQuestion(async () => {
      const [row] = await primary.run({ text: POSITION, values: [] });
      const [lsn, timeline] = row as [number, number];
      return { timeline, lsn };
    });
  }

  get areThere(): boolean {
    return this.replicas.length > 0;
  }

  /** Number of replicas that are not known to be unreachable or too far behind. */
  get usable(): number {
    return this.replicas.filter(({ isUsable }) => isUsable).length;
  }

  /**
   * The rows of a statement that only reads. Statements without a bound run on the pipeline, so they must be short.
   * Undefined when the primary has to be asked: no replica is close enough, the connection broke, or there is no row,
   * because only the primary can decide that a version check has failed.
   */
  async read(
    { text, values }: { readonly text: string; readonly values: unknown[] },
    bound?: RowBound,
    caller?: Presence,
  ): Promise<Rows | undefined> {
    const rows = await this.readFrom(this.choose(), text, values, bound, caller);
    if (rows === undefined || (rows.length === 0 && !rows.isCut)) {
      this.counts.primary += 1;
      return undefined;
    }
    this.counts.replica += 1;
    return rows;
  }

  /** The rows of a statement on every replica, whatever position it has reached. Rejects when one cannot be asked. */
  readEach({ text, values }: { readonly text: string; readonly values: unknown[] }): Promise<Rows[]> {
    return Promise.all(this.replicas.map(({ statements }) => statements.run(text, values)));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.replicas.map(replica => replica.close()));
  }

  private async readFrom(
    replica: Replica | undefined,
    text: string,
    values: unknown[],
    bound: RowBound | undefined,
    caller: Presence | undefined,
  ): Promise<Rows | undefined> {
    if (replica === undefined) return undefined;
    const position = await this.position.ask();
    try {
      if (await replica.reaches(position))
        return bound === undefined
          ? await replica.pipeline.run({ text, values })
          : await replica.statements.runWithin(text, values, bound, caller);
    } catch (error) {
      const state = sqlState(error);
      if (state === TIMED_OUT || error instanceof CallerGone) throw error;
      // An error of the statement itself comes from the primary as well, and does not mean that the replica fails.
      if (state !== undefined && !/^(08|25|53|57|58)/.test(state)) return undefined;
    }
    replica.leaveOut();
    return undefined;
  }

  /** The usable replicas in turn. */
  private choose(): Replica | undefined {
    const usable = this.replicas.filter(({ isUsable }) => isUsable);
    this.next += 1;
    return usable[this.next % usable.length];
  }
}

/** The longest wait of a read for a replica to reach the primary's position. */
const CATCH_UP_WITHIN_MS = 50;
/** A replica that was too far behind or unreachable is not used for this time. */
const LEFT_OUT_MS = 1_000;

/** A position in the WAL. After a failover another timeline may have other contents at the same LSN. */
interface LogPosition {
  readonly timeline: number;
  readonly lsn: number;
}

/**
 * Returns no row on a server that is not or no longer a standby, because it has a WAL of its own. The timeline is read
 * from the control file, which any role may read. It follows the replayed timeline at the next restart point and is
 * never ahead.
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
    const [row] = await this.pipeline.run({ text: REPLAYED, values: [] });
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

  /** False when the replica does not reach this position in time. Rejects when it cannot be reached. */
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
