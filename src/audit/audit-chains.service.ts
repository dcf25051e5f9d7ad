import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type AuditLogName,
  AuditLogs,
  CANONICAL,
  CLOCK_BEHIND_MS,
  chainTable,
  eventsTable,
  genesis,
  linkHash,
} from './audit-logs.service.js';
import { firstId } from './audit-trail.service.js';

/** Events that one statement links. */
const BATCH = 1_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Start of the oldest running transaction. An event has the time of a statement of its transaction as `created_at`, so
 * every event that becomes visible later has this `created_at` or a later one. Run this query before the events are read.
 */
const OLDEST_RUNNING = `SELECT least(statement_timestamp(), min(xact_start)) AS since FROM pg_stat_activity
  WHERE datname = current_database()`;

/** The newest link. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: Buffer;
  /** Every event with an earlier `created_at` has its link. */
  readonly settledUntil: Date;
}

interface UnlinkedEvent {
  readonly id: string;
  readonly canonical: string;
}

/**
 * Links the events of each log into a hash chain. A job does this later, so writes do not wait for it. The chain has
 * the order in which the job sees the events: an event that is committed late gets a later link.
 */
@Injectable()
export class AuditChains {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly logs: AuditLogs,
  ) {}

  /** Extends the chains of all logs, in batches; ends early when `signal` is aborted. */
  async extendAll(signal: AbortSignal): Promise<{ linked: number }> {
    const [{ since }]: [{ since: Date }] = await this.source.query(OLDEST_RUNNING);
    let linked = 0;
    await this.logs.each('link-audit-events', signal, async log => {
      const added = await this.extend(log, since, signal);
      linked += added;
    });
    return { linked };
  }

  /** The newest link of a log; undefined when it has none. */
  async head(log: AuditLogName): Promise<ChainHead | undefined> {
    const [row] = await this.source.query(
      `SELECT seq::float8, hash, settled_until AS "settledUntil" FROM ${chainTable(log)} ORDER BY seq DESC LIMIT 1`,
    );
    return row;
  }

  private async extend(log: AuditLogName, since: Date, signal: AbortSignal): Promise<number> {
    let { seq, hash, settledUntil } = (await this.head(log)) ?? {
      ...{ seq: 0, hash: genesis(log), settledUntil: new Date(0) },
    };
    let linked = 0;
    let after = settledUntil.getTime() === 0 ? LOWEST_ID : firstId(settledUntil, -CLOCK_BEHIND_MS);
    while (!signal.aborted) {
      const events = await this.unlinked(log, after);
      const hashes = events.map(({ canonical }) => (hash = linkHash(hash, canonical)));
      const isAll = events.length < BATCH;
      if (isAll && since > settledUntil) settledUntil = since;
      await this.insert(log, events, seq, hashes, settledUntil);
      seq += events.length;
      linked += events.length;
      if (isAll) break;
      after = events.at(-1)?.id as string;
    }
    return linked;
  }

  private unlinked(log: AuditLogName, after: string): Promise<UnlinkedEvent[]> {
    return this.source.query(
      `SELECT e.id, ${CANONICAL} AS canonical FROM ${eventsTable(log)} e
       WHERE e.id > $1 AND NOT EXISTS (SELECT FROM ${chainTable(log)} c WHERE c.event_id = e.id AND c.event_id > $1)
       ORDER BY e.id LIMIT ${BATCH}`,
      [after],
    );
  }

  private async insert(
    log: AuditLogName,
    events: readonly UnlinkedEvent[],
    seq: number,
    hashes: readonly Buffer[],
    settledUntil: Date,
  ): Promise<void> {
    if (events.length === 0) return;
    await this.source.query(
      `INSERT INTO ${chainTable(log)} (seq, event_id, hash, settled_until)
       SELECT $1 + l.n, l.id, l.hash, $4 FROM unnest($2::uuid[], $3::bytea[]) WITH ORDINALITY AS l(id, hash, n)`,
      [seq, events.map(({ id }) => id), hashes, settledUntil],
    );
  }
}
