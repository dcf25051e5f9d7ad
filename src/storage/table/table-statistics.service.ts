import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { param, render, sql } from '../../sql/index.js';
import { type CollectionShape, tableOf } from '../collection-shape.js';

const EVERY_MS = 2_000;
/** Time after a failure, for example of an ANALYZE that a slow disk makes too long, in which autovacuum is left to do it. */
const PAUSE_MS = 300_000;
/** Number of new records after which the size of a table is compared with its statistics. */
const WORTH_A_LOOK = 500;
/** Tables that have grown by this factor get new statistics. */
const FACTOR = 4;
/** Without statistics, PostgreSQL plans for at least this number of pages. */
const PAGES_WITHOUT_STATISTICS = 10;
/** Maximum number of collections whose new records are counted. Further ones are left to autovacuum. */
const MOST_COUNTED = 10_000;

interface Growth {
  readonly table: CollectionShape;
  records: number;
}

/**
 * Has PostgreSQL analyze tables of records that have grown to a multiple of their size. Prepared statements keep their plans
 * until then: a plan from when the table was small reads all of it. Autovacuum does the same, but looks at a database only
 * once a minute, and a large import takes less.
 */
@Injectable()
export class TableStatistics implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(TableStatistics.name);
  private readonly growing = new Map<string, Growth>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** By `performance.now()`. */
  private pausedUntil = 0;

  constructor(@InjectDataSource() private readonly source: DataSource) {}

  onModuleInit(): void {
    this.timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Counts records that have been added to a table, or soon will be. */
  grew(table: CollectionShape, records: number): void {
    const growth = this.growing.get(table.id);
    if (growth !== undefined) growth.records += records;
    else if (this.growing.size < MOST_COUNTED) this.growing.set(table.id, { table, records });
  }

  private look(): void {
    if (this.running !== undefined || this.pausedUntil > performance.now()) return;
    const grown = [...this.growing.values()].filter(({ records }) => records >= WORTH_A_LOOK);
    if (grown.length === 0) {
      if (this.growing.size === MOST_COUNTED) this.growing.clear();
      return;
    }
    for (const { table } of grown) this.growing.delete(table.id);
    this.running = this.analyze(grown.map(({ table }) => table))
      .catch(error => {
        this.pausedUntil = performance.now() + PAUSE_MS;
        this.logger.warn(`a table was not analyzed: ${(error as Error).message}`);
      })
      .finally(() => {
        this.running = undefined;
      });
  }

  private async analyze(tables: readonly CollectionShape[]): Promise<void> {
    const names = tables.map(table => render(tableOf(table)).text);
    const { text, values } = render(sql`
      SELECT name FROM unnest(${param(names, 'text[]')}) AS t(name) JOIN pg_class c ON c.oid = to_regclass(name)
      WHERE pg_relation_size(c.oid) / current_setting('block_size')::bigint
        > ${param(FACTOR, 'integer')} * greatest(c.relpages, ${param(PAGES_WITHOUT_STATISTICS, 'integer')})`);
    const outgrown: { name: string }[] = await this.source.query(text, values);
    // One that another instance analyzes, or a schema change locks, is skipped.
    for (const { name } of outgrown) await this.source.query(`ANALYZE (SKIP_LOCKED) ${name}`);
  }
}
