import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { isGone } from '../../base/kernel/sql-state.js';
import { joined, literal, render, type Sql, sql } from '../../base/sql/index.js';
import { Settings } from '../config/settings.js';
import { Statements } from './statements.js';

/** Organizations that one statement checks. It locks two of their tables with all indexes. */
const ORGS_AT_ONCE = 100;
/**
 * Finds out where a job has work. One statement looks into many tables, so that what a job sends hardly grows with the
 * number of organizations that have no work.
 */
@Injectable()
export class JobProbes {
  constructor(
    @InjectDataSource() private readonly source: Pick<DataSource, 'query'>,
    private readonly statements: Statements,
    private readonly settings: Settings,
  ) {}

  /**
   * The organizations for which `hasWork`, SQL of a condition, is true. On Citus all organizations, because a condition
   * may use tables of the coordinator and of a node. Stops early after `signal`.
   */
  async orgs(signal: AbortSignal, hasWork: (orgId: string) => Sql): Promise<{ id: string }[]> {
    const orgs: { id: string }[] = await this.source.query(
      'SELECT id FROM orgs WHERE deleted_at IS NULL ORDER BY id',
    );
    if (this.settings.DATABASE_CITUS === 'on') return orgs;
    const found: { id: string }[] = [];
    for (let first = 0; first < orgs.length && !signal.aborted; first += ORGS_AT_ONCE) {
      const page = orgs.slice(first, first + ORGS_AT_ONCE);
      found.push(...(await this.among(page, ({ id }) => hasWork(id))));
    }
    return found;
  }

  /**
   * Those of a few hundred items for which `hasWork`, SQL of a condition, is true. All of them when a table of one is
   * missing: the job tries each, and skips the one that was dropped meanwhile.
   */
  async among<T>(items: readonly T[], hasWork: (item: T) => Sql): Promise<readonly T[]> {
    if (items.length === 0) return [];
    const probes = items.map((item, index) => sql`SELECT ${literal(index)} AS item WHERE ${hasWork(item)}`);
    const { text, values } = render(sql`SELECT item FROM (${joined(probes, ' UNION ALL ')}) AS found`);
    try {
      const found = new Set((await this.statements.runApart(text, values)).map(([index]) => index));
      return items.filter((_, index) => found.has(index));
    } catch (error) {
      if (!isGone(error)) throw error;
      return items;
    }
  }
}
