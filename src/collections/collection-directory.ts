import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { BoundedMap } from '../kernel/bounded-map.js';
import type { Membership, Principal } from '../kernel/principal.js';
import { rereadWhenLost } from '../kernel/sql-state.js';
import { Collection } from './collection.entity.js';
import { BINDINGS, type BoundCollection, bindingsOf } from './collection-bindings.js';
import { type OwnerRef, visibleNamed } from './list-collections.js';

const MAX_KNOWN = 10_000;

/**
 * The collections this instance has met. What it remembers may be stale: only statements that carry the
 * collection's version (the fence) may act on `remembered`; everything else asks for `fresh`.
 */
@Injectable()
export class CollectionDirectory {
  private readonly rows = new BoundedMap<string, BoundCollection>(MAX_KNOWN);
  /** Ids by organization, owner and name. An entry may be stale: the row says whether it still holds. */
  private readonly ids = new BoundedMap<string, string>(MAX_KNOWN);

  constructor(@InjectRepository(Collection) private readonly collections: Repository<Collection>) {}

  /** How often it was asked for what it remembers, for the metrics. */
  get counts() {
    return this.rows.counts;
  }

  /** The remembered row, if any. */
  remembered(id: string): BoundCollection | undefined {
    return this.rows.get(id);
  }

  /**
   * The remembered row of an owner's collection with this name, if any. No two collections of an owner have the same
   * name, so the version of the row proves that it still is the one.
   */
  rememberedNamed(orgId: string, owner: OwnerRef, name: string): BoundCollection | undefined {
    const key = nameKey({ orgId, ...owner, name });
    const id = this.ids.get(key);
    const row = id === undefined ? undefined : this.rows.get(id);
    return row !== undefined && nameKey(row) === key ? row : undefined;
  }

  /** What has this name among the collections that a principal sees: its own one first, then the others by id. */
  async named(
    principal: Principal,
    membership: Membership,
    owner: OwnerRef | undefined,
    name: string,
    atMost: number,
  ): Promise<BoundCollection[]> {
    const query = visibleNamed(this.collections, principal, membership, owner, name).limit(atMost);
    query.addSelect(BINDINGS, 'bindings');
    const { entities, raw } = await rereadWhenLost(() => query.getRawAndEntities());
    const found = entities.map((row, index) =>
      Object.assign(row, { bindings: bindingsOf(raw[index].bindings) }),
    );
    if (found[0] !== undefined) this.remember(found[0]);
    return found;
  }

  /**
   * The row in the database and its bindings, in one round trip, if it is one of these organizations; remembered from now
   * on. Of other organizations no row is read, so that its id costs what an unknown one does.
   */
  async fresh(id: string, orgIds: readonly string[]): Promise<BoundCollection | undefined> {
    const query = this.collections
      .createQueryBuilder('c')
      .addSelect(BINDINGS, 'bindings')
      .where('c.id = :id AND c.org_id = ANY(:orgIds)', { id, orgIds });
    const { entities, raw } = await rereadWhenLost(() => query.getRawAndEntities());
    const [row] = entities;
    if (row === undefined) {
      const known = this.rows.get(id);
      if (known !== undefined && orgIds.includes(known.orgId)) this.rows.delete(id);
      return undefined;
    }
    return this.remember(Object.assign(row, { bindings: bindingsOf(raw[0].bindings) }));
  }

  private remember(row: BoundCollection): BoundCollection {
    this.rows.set(row.id, row);
    this.ids.set(nameKey(row), row.id);
    return row;
  }
}

/** None of the parts holds a blank. */
function nameKey({
  orgId,
  ownerType,
  ownerId,
  name,
}: Pick<Collection, 'orgId' | 'ownerType' | 'ownerId' | 'name'>) {
  return `${orgId} ${ownerType} ${ownerId} ${name}`;
}
