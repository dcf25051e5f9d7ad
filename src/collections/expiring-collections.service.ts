import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Collection } from './collection.entity.js';

/** Marks collections before the first of their records is given a time to expire. */
@Injectable()
export class ExpiringCollections {
  constructor(@InjectRepository(Collection) private readonly collections: Repository<Collection>) {}

  /**
   * Marks the collection when records that live `ttlDays` are written to it. True when it was marked already; else it is
   * in another version now, which every instance learns from its next statement: first the mark, then the record.
   */
  async ready({ id, mayExpire }: Collection, ttlDays: number | undefined): Promise<boolean> {
    if (mayExpire || !ttlDays) return true;
    await this.collections.query(
      'UPDATE collections SET may_expire = true, version = version + 1 WHERE id = $1 AND NOT may_expire',
      [id],
    );
    return false;
  }
}
