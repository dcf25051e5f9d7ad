import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock, DAY_MS } from '../../base/kernel/clock.js';
import { Settings } from '../config/settings.js';
import { type AuditLogName, eventsTable } from './audit-logs.service.js';

/** PostgreSQL counts a row a minute after its transaction has ended, at the latest. */
const COUNTED_WITHIN_MS = 60_000;

/**
 * How many rows have been inserted into each log. The era changes when PostgreSQL begins to count anew. No row when it
 * does not count.
 */
const COUNTS = `
  SELECT n.nspname || '.audit_events' AS "table", pg_stat_get_tuples_inserted(c.oid)::float8 AS inserted,
    concat(pg_postmaster_start_time(), pg_stat_get_db_stat_reset_time(d.oid)) AS era
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_database d ON d.datname = current_database()
  WHERE c.relname = 'audit_events' AND c.relkind = 'r' AND current_setting('track_counts')::boolean`;

interface Count {
  readonly table: string;
  readonly inserted: number;
  readonly era: string;
}

/** What was counted before all events of a log were linked, and when. */
interface Linked {
  readonly count: number;
  readonly at: number;
}

/**
 * Knows which logs have no new event since this instance linked all of them, so that they are not asked. One statement
 * reads the statistics of the tables of all logs. Each log is asked at least once a day.
 */
@Injectable()
export class QuietLogs {
  // biome-ignore lint/plugin/bounded-maps: organizations, with two numbers each
  private linked = new Map<string, Linked>();
  // biome-ignore lint/plugin/bounded-maps: organizations, with two numbers each
  private counts = new Map<string, number>();
  private era: string | undefined;
  private countedAt = 0;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** Reads the statistics. On Citus there are none of the nodes. */
  async count(): Promise<void> {
    this.countedAt = this.clock.now().getTime();
    const rows: Count[] = this.settings.DATABASE_CITUS === 'on' ? [] : await this.source.query(COUNTS);
    this.counts = new Map(rows.map(({ table, inserted }) => [table, inserted]));
    const isSameEra = this.era === rows[0]?.era;
    this.era = rows[0]?.era;
    this.linked = new Map([...this.linked].filter(([table]) => isSameEra && this.counts.has(table)));
  }

  /** True when the log has no event to link. */
  isQuiet(log: AuditLogName): boolean {
    const known = this.linked.get(eventsTable(log));
    if (known === undefined || known.count !== this.counts.get(eventsTable(log))) return false;
    const ago = this.countedAt - known.at;
    return ago >= COUNTED_WITHIN_MS && ago < DAY_MS;
  }

  /** All events of the log are linked that were there at the last count. */
  markLinked(log: AuditLogName): void {
    const count = this.counts.get(eventsTable(log));
    if (count !== undefined) this.linked.set(eventsTable(log), { count, at: this.countedAt });
  }
}
