import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { BoundedMap } from '../kernel/bounded-map.js';
import { Collection } from './collection.entity.js';
import { BINDINGS, type BoundCollection, bindingsOf } from './collection-bindings.js';

const MAX_KNOWN = 10_000;

/**
 * The collections this instance has met. What it remembers may be stale: only statements that carry the
 * collection's version (the fence) may act on `remembered`; everything else asks for `fresh`.
 */
@Injectable()
export class CollectionDirectory {
  private readonly rows = new BoundedMap<string, BoundCollection>(MAX_KNOWN);

  constructor(@InjectRepository(Collection) private readonly collections: Repository<Collection>) {}

  /** How often it was asked for what it remembers, for the metrics. */
  get counts() {
    return this.rows.counts;
  }

  /** The remembered row, if any. */
  remembered(id: string): BoundCollection | undefined {
    return this.rows.get(id);
  }

  /** The row in the database and its bindings, in one round trip; remembered from now on. */
  async fresh(id: string): Promise<BoundCollection | undefined> {
    const { entities, raw } = await this.collections
      .createQueryBuilder('c')
      .addSelect(BINDINGS, 'bindings')
      .where('c.id = :id', { id })
      .getRawAndEntities();
    const [row] = entities;
    if (row === undefined) {
      this.rows.delete(id);
      return undefined;
    }
    const bound = Object.assign(row, { bindings: bindingsOf(raw[0].bindings) });
    this.rows.set(id, bound);
    return bound;
  }
}
