import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Collection } from './collection.entity.js';
import { BINDINGS, type BoundCollection, bindingsOf } from './collection-bindings.js';

const MAX_KNOWN = 10_000;

/**
 * The collections this instance has met. What it remembers may be stale: only statements that carry the
 * collection's version (the fence) may act on `remembered`; everything else asks for `fresh`.
 */
@Injectable()
export class CollectionDirectory {
  /** How often it was asked for what it remembers, for the metrics. */
  readonly counts = { hits: 0, misses: 0 };
  private readonly rows = new Map<string, BoundCollection>();

  constructor(@InjectRepository(Collection) private readonly collections: Repository<Collection>) {}

  /** The remembered row, if any. */
  remembered(id: string): BoundCollection | undefined {
    const row = this.rows.get(id);
    if (row === undefined) this.counts.misses += 1;
    else this.counts.hits += 1;
    return row;
  }

  /** The row in the database and its bindings, in one round trip; remembered from now on. */
  async fresh(id: string): Promise<BoundCollection | undefined> {
    const { entities, raw } = await this.collections
      .createQueryBuilder('c')
      .addSelect(BINDINGS, 'bindings')
      .where('c.id = :id', { id })
      .getRawAndEntities();
    const [row] = entities;
    this.rows.delete(id);
    if (row === undefined) return undefined;
    if (this.rows.size >= MAX_KNOWN) this.rows.delete(this.rows.keys().next().value as string);
    const bound = Object.assign(row, { bindings: bindingsOf(raw[0].bindings) });
    this.rows.set(id, bound);
    return bound;
  }
}
