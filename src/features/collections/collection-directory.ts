import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { BoundedMap } from '../../base/kernel/bounds/bounded-map.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { rereadWhenLost } from '../../base/kernel/sql-state.js';
import { render } from '../../base/sql/index.js';
import { type CollectionShape, wholeOf } from '../../engine/storage/collection-shape.js';
import { versionCheck } from '../../engine/storage/statement.js';
import { ReadPipeline } from '../../platform/database/connections/read-pipeline.js';
import { type BoundCollection, boundCollections, Collection, selectBound } from './collection.entity.js';
import { type OwnerRef, visibleNamed } from './visible-collections.js';

const MAX_KNOWN = 10_000;

/**
 * Reads collections and caches them. A cached row may be stale: only statements with a version check may act on
 * `remembered`; everything else uses `fresh`.
 */
@Injectable()
export class CollectionDirectory {
  private readonly rows = new BoundedMap<string, BoundCollection>(MAX_KNOWN);
  /** Ids by organization, owner and name. An entry may be stale: it is compared with the row of its id. */
  private readonly ids = new BoundedMap<string, string>(MAX_KNOWN);

  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly pipeline: ReadPipeline,
  ) {}

  /** Hits and misses of the cache, for the metrics. */
  get counts() {
    return this.rows.counts;
  }

  remembered(id: string): BoundCollection | undefined {
    return this.rows.get(id);
  }

  /**
   * The cached row of an owner's collection with this name. Names are unique per owner, so a version check proves that
   * the row still has the name.
   */
  rememberedNamed(orgId: string, owner: OwnerRef, name: string): BoundCollection | undefined {
    const key = nameKey({ orgId, ...owner, name });
    const id = this.ids.get(key);
    const row = id === undefined ? undefined : this.rows.get(id);
    return row !== undefined && nameKey(row) === key ? row : undefined;
  }

  /** Collections with this name that a principal can see: its own one first, then the others by id. */
  async named(
    principal: Principal,
    membership: Membership,
    owner: OwnerRef | undefined,
    name: string,
    atMost: number,
  ): Promise<BoundCollection[]> {
    const query = selectBound(visibleNamed(this.collections, principal, membership, owner, name)).limit(
      atMost,
    );
    const found = boundCollections(await rereadWhenLost(() => query.getRawAndEntities()));
    if (found[0] !== undefined) this.remember(found[0]);
    return found;
  }

  /**
   * Reads the row and its bindings in one round trip, if the collection is one of these organizations, and caches it. The
   * rows of other organizations are not read, so that their ids take as long as unknown ones.
   */
  async fresh(id: string, orgIds: readonly string[]): Promise<BoundCollection | undefined> {
    const query = selectBound(this.collections.createQueryBuilder('c')).where(
      'c.id = :id AND c.org_id = ANY(:orgIds)',
      { id, orgIds },
    );
    const [row] = boundCollections(await rereadWhenLost(() => query.getRawAndEntities()));
    if (row === undefined) {
      const known = this.rows.get(id);
      if (known !== undefined && orgIds.includes(known.orgId)) this.rows.delete(id);
      return undefined;
    }
    return this.remember(row);
  }

  /** True while the collection is in this version. That costs a tenth of reading it. */
  async isCurrent(collection: Collection): Promise<boolean> {
    const check = render(versionCheck(wholeOf<CollectionShape>(collection)));
    return (await rereadWhenLost(() => this.pipeline.run(check))).length > 0;
  }

  private remember(row: BoundCollection): BoundCollection {
    this.rows.set(row.id, row);
    this.ids.set(nameKey(row), row.id);
    return row;
  }
}

/** No part can contain a blank, so that different collections have different keys. */
function nameKey({
  orgId,
  ownerType,
  ownerId,
  name,
}: Pick<Collection, 'orgId' | 'ownerType' | 'ownerId' | 'name'>) {
  return `${orgId} ${ownerType} ${ownerId} ${name}`;
}
