import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThanOrEqual, MoreThan, Repository } from 'typeorm';
import { Collection } from '../collections/collection.entity.js';
import { JobWalks } from '../database/job-walks.js';
import { Statements } from '../database/statements.js';
import { sqlState } from '../kernel/sql-state.js';
import { render } from '../sql/index.js';
import { expiredCollectionsStatement } from '../storage/expired-collections.js';
import { ExpiredRecords } from './expired-records.service.js';

/** Collections looked at by one statement: one probe of a partial index each. */
const PAGE = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Frees the place of expired records in all collections that may hold some. */
@Injectable()
export class RecordExpiry {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly statements: Statements,
    private readonly expired: ExpiredRecords,
    private readonly walks: JobWalks,
  ) {}

  /**
   * Goes through all collections page by page, from where the last run came to; ends early, between two of them, when `signal`
   * is aborted.
   */
  async removeAll(signal: AbortSignal): Promise<{ collections: number; removed: number }> {
    const counts = { collections: 0, removed: 0 };
    await this.walks.from('remove-expired-records', async (last = FIRST, begin) => {
      const remove = async (collection: Collection) => {
        begin(collection.id);
        counts.collections += 1;
        counts.removed += await this.expired.remove(collection);
      };
      await this.each(last, LAST, signal, remove);
      await this.each(FIRST, last, signal, remove);
    });
    return counts;
  }

  /** The work for each collection with expired records between two ids, the second one included. */
  private async each(
    from: string,
    to: string,
    signal: AbortSignal,
    work: (collection: Collection) => Promise<void>,
  ): Promise<void> {
    for (let after = from; after < to && !signal.aborted; ) {
      const page = await this.collections.find({
        where: { id: And(MoreThan(after), LessThanOrEqual(to)), mayExpire: true },
        order: { id: 'ASC' },
        take: PAGE,
      });
      for (const collection of await this.withExpired(page)) {
        if (signal.aborted) return;
        await work(collection);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }

  private async withExpired(page: Collection[]): Promise<Collection[]> {
    if (page.length === 0) return [];
    const { text, values } = render(expiredCollectionsStatement(page));
    try {
      const [[ids]] = (await this.statements.runApart(text, values)) as [[string[]]];
      return page.filter(({ id }) => ids.includes(id));
    } catch (error) {
      // A table or its schema was dropped since the page was read: trying each collection passes over it.
      if (!['42P01', '3F000'].includes(sqlState(error) ?? '')) throw error;
      return page;
    }
  }
}
