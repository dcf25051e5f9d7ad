import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Statements } from '../database/statements.js';
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
import { QuietLogs } from './quiet-logs.service.js';

/** Events that one statement links. */
const BATCH = 1_000;
/** Size of SHA-256. */
const HASH_BYTES = 32;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Start of the oldest running transaction that has written something, or of the oldest statement that may be about to.
 * An event has the time of a statement of its transaction as `created_at`, so every event that becomes visible later has
 * this `created_at` or a later one. A transaction that only reads, such as a dump of hours, delays nothing. Run this query
 * before the events are read.
 */
const OLDEST_RUNNING = `
  SELECT least(statement_timestamp(), min(CASE
    WHEN backend_xid IS NOT NULL THEN xact_start
    WHEN state = 'active' AND backend_type = 'client backend' THEN query_start END)) AS since
  FROM pg_stat_activity WHERE datname = current_database()`;

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

/** New links of a chain, in order. */
interface Links {
  readonly eventIds: string[];
  /** The hash of each link, one after the other. The buffer has the size of a full batch. */
  readonly hashes: Buffer;
}

/**
 * Links the events of each log into a hash chain. A job does this later, so writes do not wait for it. The chain has
 * the order in which the job sees the events: an event that is committed late gets a later link.
 */
@Injectable()
export class AuditChains {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly statements: Statements,
    private readonly logs: AuditLogs,
    private readonly quiet: QuietLogs,
  ) {}

  /** Extends the chains of all logs with new events, in batches; ends early when `signal` is aborted. */
  async extendAll(signal: AbortSignal): Promise<{ linked: number }> {
    const [{ since }]: [{ since: Date }] = await this.source.query(OLDEST_RUNNING);
    await this.quiet.count();
    let linked = 0;
    const work = async (log: AuditLogName) => {
      const added = await this.extend(log, since, signal);
      linked += added;
      if (!signal.aborted) this.quiet.markLinked(log);
    };
    await this.logs.each('link-audit-events', signal, work, log => this.quiet.isQuiet(log));
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
      seq: 0,
      hash: genesis(log),
      settledUntil: new Date(0),
    };
    let linked = 0;
    let after = settledUntil.getTime() === 0 ? LOWEST_ID : firstId(settledUntil, -CLOCK_BEHIND_MS);
    while (!signal.aborted) {
      const links = await this.next(log, after, hash);
      const { length } = links.eventIds;
      const isAll = length < BATCH;
      if (isAll && since > settledUntil) settledUntil = since;
      await this.insert(log, seq, links, settledUntil);
      linked += length;
      if (isAll) break;
      seq += length;
      hash = links.hashes.subarray(-HASH_BYTES);
      after = links.eventIds.at(-1) as string;
    }
    return linked;
  }

  /**
   * Computes the links of the next events. Each text is hashed when it arrives and is not kept, because V8 would move
   * the texts of a batch to the old generation of its heap (decision 75).
   */
  private async next(log: AuditLogName, after: string, previous: Buffer): Promise<Links> {
    const eventIds: string[] = [];
    const hashes = Buffer.alloc(BATCH * HASH_BYTES);
    let hash = previous;
    await this.statements.forEachRow<UnlinkedEvent>(
      `SELECT e.id, ${CANONICAL} AS canonical FROM ${eventsTable(log)} e
       WHERE e.id > $1 AND NOT EXISTS (SELECT FROM ${chainTable(log)} c WHERE c.event_id = e.id AND c.event_id > $1)
       ORDER BY e.id LIMIT ${BATCH}`,
      [after],
      ({ id, canonical }) => {
        hash = linkHash(hash, canonical);
        hash.copy(hashes, eventIds.length * HASH_BYTES);
        eventIds.push(id);
      },
    );
    return { eventIds, hashes };
  }

  private async insert(
    log: AuditLogName,
    seq: number,
    { eventIds, hashes }: Links,
    settledUntil: Date,
  ): Promise<void> {
    if (eventIds.length === 0) return;
    await this.source.query(
      `INSERT INTO ${chainTable(log)} (seq, event_id, hash, settled_until)
       SELECT $1 + l.n, l.id, substring($3::bytea FROM (l.n::int - 1) * ${HASH_BYTES} + 1 FOR ${HASH_BYTES}), $4
       FROM unnest($2::uuid[]) WITH ORDINALITY AS l(id, n)`,
      [seq, eventIds, hashes.subarray(0, eventIds.length * HASH_BYTES), settledUntil],
    );
  }
}
