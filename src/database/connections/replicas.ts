import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../../config/settings.js';
import { CallerGone, type Presence, within } from '../../kernel/deadline.js';
import { sqlState } from '../../kernel/sql-state.js';
import { PooledStatements, type RowBound, type Rows } from '../statements.js';
import { poolOptions } from './options.js';
import { PreparedNames } from './prepared-names.js';
import { ReadPipeline } from './read-pipeline.js';
import { SharedQuestion } from './shared-question.js';

/** Up to where the log holds every write that was acknowledged. A replica is sent what is flushed, soon enough. */
export const POSITION = `
  SELECT (CASE current_setting('synchronous_commit')
    WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::float8,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer`;
/** Stopped because it took too long: on the primary it would take as long again. */
const TIMED_OUT = '57014';

/**
 * Runs reads on replicas, and nobody can tell: a read begins when the replica has all that the primary had when the read
 * came, whichever instance has written it. The primary is asked for its position once for all reads of the moment.
 */
@Injectable()
export class Replicas implements OnApplicationShutdown {
  /** Reads that a replica has answered, and those that were left to the primary. */
  readonly counts = { replica: 0, primary: 0 };
  private readonly replicas: readonly Replica[];
  private readonly position: SharedQuestion<LogPosition>;
  private next = 0;

  constructor(settings: Settings, names: PreparedNames, primary: ReadPipeline) {
    this.replicas = settings.DATABASE_REPLICA_URLS.map(url => new Replica(url, settings, names));
    this.position = new SharedQuestion(async () => {
      const [row] = await primary.run(POSITION, []);
      const [lsn, timeline] = row as [number, number];
      return { timeline, lsn };
    });
  }

  get areThere(): boolean {
    return this.replicas.length > 0;
  }

  /** Replicas that are neither away nor too far behind, as far as is known. */
  get usable(): number {
    return this.replicas.filter(({ isUsable }) => isUsable).length;
  }

  /**
   * The rows of a statement that only reads: within a bound, or, without one, of a statement as short as those of the pipeline. Undefined when the primary has to be asked: no
   * replica is near enough, this one broke off, or it gives no row, which may be for a fence that only the primary knows to hold.
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
          ? await replica.pipeline.run(text, values)
          : await replica.statements.runWithin(text, values, bound, caller);
    } catch (error) {
      const state = sqlState(error);
      if (state === TIMED_OUT || error instanceof CallerGone) throw error;
      // What is wrong with the statement the primary says as well; what ends one alone says nothing about the replica.
      if (state !== undefined && !/^(08|25|53|57|58)/.test(state)) return undefined;
    }
    replica.leaveOut();
    return undefined;
  }

  /** One after the other, of those that are usable. */
  private choose(): Replica | undefined {
    const usable = this.replicas.filter(({ isUsable }) => isUsable);
    this.next += 1;
    return usable[this.next % usable.length];
  }
}

/** A read waits for so long until the replica has what the primary had. */
const CATCH_UP_WITHIN_MS = 50;
/** One that was too far behind, or away, is not asked again for so long. */
const LEFT_OUT_MS = 1_000;

/** A place in the log of a primary. After a failover another timeline may hold something else at the same place. */
interface LogPosition {
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
