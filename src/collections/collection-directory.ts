import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Collection } from './collection.entity.js';

const MAX_KNOWN = 10_000;

/**
 * The collections this instance has met. What it remembers may be stale: only statements that carry the
 * collection's version (the fence) may act on `remembered`; everything else asks for `fresh`.
 */
@Injectable()
export class CollectionDirectory {
  private readonly rows = new Map<string, Collection>();

  constructor(@InjectRepository(Collection) private readonly collections: Repository<Collection>) {}

  /** The remembered row, if any. */
  remembered(id: string): Collection | undefined {
    return this.rows.get(id);
  }

  /** The row in the database, remembered from now on. */
  async fresh(id: string): Promise<Collection | undefined> {
    const row = await this.collections.findOneBy({ id });
    this.rows.delete(id);
    if (row === null) return undefined;
    if (this.rows.size >= MAX_KNOWN) this.rows.delete(this.rows.keys().next().value as string);
    this.rows.set(id, row);
    return row;
  }
}
