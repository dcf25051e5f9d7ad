import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUuid, newId } from '../../base/kernel/id.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { parseFilter, parseProjection, parseSort } from '../../engine/filter/index.js';
import { filtering } from '../../engine/storage/records/read.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';
import { idempotently } from '../../platform/idempotency/stored-responses.js';
import type { Access } from '../collections/collection-access.js';
import { collectionEvent } from '../collections/collection-event.js';
import { refuseRestricted, requireRight } from '../collections/collection-rights.js';
import { lockAccessed } from '../collections/locked-collection.js';
import { ShownParts } from '../collections/seen-fields.js';
import { type SavedViewBody, type SavedViewListView, SavedViewView } from './view.dto.js';
import { SavedView } from './view.entity.js';

/** Maximum of views of one collection for all, and of one principal's own. */
const MAX_VIEWS = 100;

/** The saved views of a collection that a caller sees: those for all and its own. */
@Injectable()
export class Views {
  constructor(
    @InjectRepository(SavedView) private readonly rows: Repository<SavedView>,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async list(access: Access): Promise<SavedViewListView> {
    const rows = await this.rows.find({ where: seenBy(access), order: { id: 'ASC' } });
    const shown = new ShownParts(access);
    const items = rows.filter(row => isShown(row, shown)).map(SavedViewView.of);
    return { items, total: items.length };
  }

  /** Throws 403 for a view for all without the right `write`, 409 when there are too many. */
  create(call: Call, access: Access, body: SavedViewBody): Promise<SavedViewView> {
    const now = this.clock.now();
    const row = { ...contentOf(access, body), id: newId(), createdAt: now, updatedAt: now };
    return this.transactions.run(manager =>
      idempotently(manager, call, async () => {
        await lockAccessed(manager, access);
        await refuseTooMany(manager, row);
        await manager.insert(SavedView, row);
        await this.record(manager, call, access, 'created', undefined, row);
        return SavedViewView.of(row);
      }),
    );
  }

  /** Throws 404 for a view that the caller does not see; otherwise like `create`. */
  replace(call: Call, access: Access, id: string, body: SavedViewBody): Promise<SavedViewView> {
    return this.transactions.run(async manager => {
      const before = await this.find(manager, access, id);
      const after = { ...before, ...contentOf(access, body), updatedAt: this.clock.now() };
      if (after.owner !== before.owner) await refuseTooMany(manager, after);
      await manager.update(SavedView, { id: before.id }, after);
      await this.record(manager, call, access, 'updated', before, after);
      return SavedViewView.of(after);
    });
  }

  /** Throws 404 for a view that the caller does not see, 403 for a view for all without the right `write`. */
  async delete(call: Call, access: Access, id: string): Promise<{ deleted: true }> {
    await this.transactions.run(async manager => {
      const before = await this.find(manager, access, id);
      await manager.delete(SavedView, { id: before.id });
      await this.record(manager, call, access, 'deleted', before, undefined);
    });
    return { deleted: true };
  }

  /** The view that the caller may change. Locks the collection, so that changes of its views run one after another. */
  private async find(manager: EntityManager, access: Access, id: string): Promise<SavedView> {
    await lockAccessed(manager, access);
    const row = isUuid(id)
      ? await manager.findOne(SavedView, { where: seenBy(access).map(each => ({ ...each, id })) })
      : null;
    if (row === null || !isShown(row, new ShownParts(access)))
      throw new PlatformError('NotFound', 'There is no view with this id that you can see.');
    if (row.owner === null) requireMayPublish(access);
    return row;
  }

  private record(
    manager: EntityManager,
    call: Call,
    { collection }: Access,
    act: 'created' | 'updated' | 'deleted',
    before: SavedView | undefined,
    after: SavedView | undefined,
  ): Promise<void> {
    const changes = { before: described(before), after: described(after) };
    const event = collectionEvent(`collections.views.${act}`, collection, { changes });
    return this.audit.record(manager, call, collection.orgId, event);
  }
}

/** Throws 403 for callers who cannot save a view for all. */
function requireMayPublish(access: Access): void {
  requireRight(access, 'write');
  refuseRestricted(access, 'save views for all');
}

/** True for a view that names no field which its caller does not see. */
function isShown({ filter, sort, fields, columns }: SavedView, shown: ShownParts): boolean {
  const named = fields === null || Array.isArray(fields) ? fields : Object.keys(fields);
  const ofColumns = ((columns ?? []) as unknown[]).map(each =>
    isJsonObject(each) ? [each.name, each] : each,
  );
  return shown.definition({ filter, fields: [Object.keys(sort), named, ofColumns] });
}

/** Conditions of the views that a caller sees, one of which must be true. */
function seenBy(access: Access) {
  const collectionId = access.collection.id;
  return [
    { collectionId, owner: IsNull() },
    { collectionId, owner: ownerOf(access) },
  ];
}

function ownerOf({ principal: { type, id } }: Access): string {
  return `${type}:${id}`;
}

type Content = Omit<SavedView, 'id' | 'createdAt' | 'updatedAt'>;

/** Throws 400 for a filter, sort or projection that a query would refuse, 403 for a view for all without `write`. */
function contentOf(access: Access, body: SavedViewBody): Content {
  const { name, filter = {}, sort = {}, fields = null, columns = null } = body;
  if (body.for === 'all') requireMayPublish(access);
  filtering(access.collection, parseFilter(filter));
  parseSort(sort);
  parseProjection(fields ?? undefined);
  return {
    collectionId: access.collection.id,
    owner: body.for === 'all' ? null : ownerOf(access),
    name,
    filter: filter as object,
    sort: sort as object,
    fields: fields as object | null,
    columns,
  };
}

async function refuseTooMany(
  manager: EntityManager,
  { collectionId, owner }: Pick<SavedView, 'collectionId' | 'owner'>,
): Promise<void> {
  const count = await manager.countBy(SavedView, { collectionId, owner: owner ?? IsNull() });
  if (count < MAX_VIEWS) return;
  throw new PlatformError(
    'Conflict',
    `There are already ${MAX_VIEWS} views of this collection ${owner === null ? 'for all' : 'of your own'}, which is the limit.`,
  );
}

/** The part of a view that audit events contain; null when there is no view. */
function described(row: SavedView | undefined): object | null {
  return row === undefined ? null : { id: row.id, name: row.name, for: row.owner === null ? 'all' : 'me' };
}
