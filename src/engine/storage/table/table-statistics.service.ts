import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { param, render, sql } from '../../../base/sql/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { tableOf } from '../table-sql.js';

const EVERY_MS = 2_000;
/** Time after a failure, for example of an ANALYZE that a slow disk makes too long, in which the table is left to autovacuum. */
const PAUSE_MS = 300_000;
/** Number of new records after which the size of a table is compared with its statistics. */
const WORTH_A_LOOK = 500;
/** Tables that have grown by this factor get new statistics. */
const FACTOR = 4;
/** Without statistics, PostgreSQL plans for at least this number of pages. */
const PAGES_WITHOUT_STATISTICS = 10;
/** Maximum number of collections whose new records are counted. Further ones are left to autovacuum. */
const MAX_COUNTED = 10_000;

interface Growth {
  readonly table: CollectionShape;
  records: number;
  /** By `performance.now()`; later than the present after a failure. */
  readonly notBefore: number;
}

/**
 * Has PostgreSQL analyze tables of records that have grown to a multiple of their size. Prepared statements keep their plans
 * until then: a plan from when the table was small reads all of it. Autovacuum does the same, but looks at a database only
 * once a minute, and a large import takes less.
 */
@Injectable()
export class TableStatistics implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(TableStatistics.name);
  // biome-ignore lint/plugin/bounded-maps: at most MAX_COUNTED
  private readonly growing = new Map<string, Growth>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

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
    else if (this.growing.size < MAX_COUNTED) this.growing.set(table.id, { table, records, notBefore: 0 });
  }

  private look(): void {
    if (this.running !== undefined) return;
    const now = performance.now();
    const grown = [...this.growing.values()].filter(
      ({ records, notBefore }) => records >= WORTH_A_LOOK && notBefore <= now,
    );
    if (grown.length === 0) {
      if (this.growing.size === MAX_COUNTED) this.growing.clear();
      return;
    }
    for (const { table } of grown) this.growing.delete(table.id);
    this.running = this.analyze(grown.map(({ table }) => table))
      .catch(error => this.logger.warn(`no table was analyzed: ${(error as Error).message}`))
      .finally(() => {
        this.running = undefined;
      });
  }

  private async analyze(tables: readonly CollectionShape[]): Promise<void> {
    const named = new Map(tables.map(table => [render(tableOf(table)).text, table]));
    const { text, values } = render(sql`
      SELECT name FROM unnest(${param([...named.keys()], 'text[]')}) AS t(name)
        JOIN pg_class c ON c.oid = to_regclass(name)
      WHERE pg_relation_size(c.oid) / current_setting('block_size')::bigint
        > ${param(FACTOR, 'integer')} * greatest(c.relpages, ${param(PAGES_WITHOUT_STATISTICS, 'integer')})`);
    const outgrown: { name: string }[] = await this.source.query(text, values);
    for (const { name } of outgrown) {
      try {
        // A table that another instance analyzes, or a schema change locks, is skipped.
        await this.source.query(`ANALYZE (SKIP_LOCKED) ${name}`);
      } catch (error) {
        this.logger.warn(`${name} was not analyzed: ${(error as Error).message}`);
        const table = named.get(name) as CollectionShape;
        this.growing.set(table.id, { table, records: 0, notBefore: performance.now() + PAUSE_MS });
      }
    }
  }
}
