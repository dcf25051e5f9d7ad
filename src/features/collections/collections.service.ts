import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import type { JsonText } from '../../base/kernel/json.js';
import type { Membership } from '../../base/kernel/principal.js';
import { render } from '../../base/sql/index.js';
import { createIndexes } from '../../engine/storage/table/index-ddl.js';
import { createTable } from '../../engine/storage/table/table.js';
import { TableAccess } from '../../engine/storage/table-access.js';
import { retryLockConflicts, TABLE_LOCKS } from '../../engine/storage/table-lock.js';
import { tableOf } from '../../engine/storage/table-sql.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Settings } from '../../platform/config/settings.js';
import { Capacity } from '../../platform/database/capacity.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { TagCondition } from '../../platform/http/entity-tags.js';
import { idempotently } from '../../platform/idempotency/stored-responses.js';
import { Agents } from '../identity/users.service.js';
import { lockOrg } from '../orgs/org-lock.js';
import { bindAgents, boundTo, keepAgents } from './agent-bindings.js';
import { Collection, type CollectionSettings } from './collection.entity.js';
import type { Access } from './collection-access.js';
import { boundAgents } from './collection-binding.entity.js';
import { collectionEvent } from './collection-event.js';
import {
  callerRole,
  requireAgentSharing,
  requireMayCreate,
  requireRight,
  requireRightOfOwner,
} from './collection-rights.js';
import {
  type CollectionListView,
  type CreatedCollectionView,
  collectionAnswer,
  collectionView,
  createdView,
  describedCollection,
} from './collection-view.js';
import type { CreateCollectionBody, ListCollectionsQuery, UpdateCollectionBody } from './collections.dto.js';
import { databaseTime, historySince, switchHistory } from './kept-history.js';
import { callerNow, lockTagged, withFreeName } from './locked-collection.js';
import { requireBuildable } from './schema/index-kinds.js';
import { parseColumns, parseIndexes } from './schema/parse-schema.js';
import { collectionOwner, visibleCollections, visibleNames } from './visible-collections.js';

const DEFAULT_SETTINGS: CollectionSettings = { ttl_days: 0, max_records: 10_000, history_days: 7 };

/** Creates, lists and changes collections. Metadata, table and audit event are written in one transaction. */
@Injectable()
export class Collections {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly transactions: Transactions,
    private readonly agents: Agents,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
    private readonly tables: TableAccess,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  async list(call: Call, membership: Membership, query: ListCollectionsQuery): Promise<CollectionListView> {
    const { principal } = call;
    const [rows, total] = await visibleCollections(this.collections, principal, membership, query);
    const now = this.clock.now();
    const counts = query.with_counts ? await this.estimates(rows) : undefined;
    return {
      items: rows.flatMap(row => {
        const caller = callerRole(principal, row, now);
        return caller === undefined ? [] : [collectionView(caller, counts?.get(row.id) ?? null)];
      }),
      total,
      page: query.page,
      limit: query.limit,
    };
  }

  /** Names of visible collections that begin with `prefix`. */
  names({ principal }: Call, membership: Membership, prefix: string, atMost: number): Promise<string[]> {
    return visibleNames(this.collections, principal, membership, prefix, atMost);
  }

  async create(
    call: Call,
    membership: Membership,
    body: CreateCollectionBody,
  ): Promise<CreatedCollectionView> {
    requireMayCreate(call.principal, membership);
    if (body.agent_ids?.length) requireRightOfOwner(call.principal, membership, 'share');
    const collection = this.fromBody(call, membership, body);
    const agentIds = await this.agentsOf(membership.orgId, body.agent_ids ?? []);
    return withFreeName(collection, () =>
      this.transactions.run(manager =>
        idempotently(manager, call, async () => {
          await lockOrg(manager, membership.orgId, 'keep');
          await this.capacity.assertRoom(manager, 'collections', membership.orgId);
          if (collection.historySince !== null) collection.historySince = await databaseTime(manager);
          await manager.insert(Collection, collection);
          await bindAgents(manager, collection, agentIds, this.clock.now());
          await createTable(this.tables, manager, collection);
          await requireBuildable(manager, { ...collection, indexes: [] }, collection.indexes, body);
          await createIndexes(manager, collection, collection);
          const changes = { after: describedCollection(collection, agentIds) };
          const event = collectionEvent('collections.created', collection, { changes });
          await this.audit.record(manager, call, collection.orgId, event);
          return createdView(collection);
        }),
      ),
    );
  }

  get(access: Access): JsonText {
    return collectionAnswer(access);
  }

  /** Throws 412 when the collection's entity tag does not satisfy the condition. */
  async update(
    call: Call,
    access: Access,
    body: UpdateCollectionBody,
    condition?: TagCondition,
  ): Promise<JsonText> {
    const { membership } = access;
    if (body.name !== undefined && body.name !== access.collection.name) {
      requireRight(access, 'rename');
    }
    requireAgentSharing(access, body.agent_ids);
    const agentIds = body.agent_ids && (await this.agentsOf(membership.orgId, body.agent_ids));
    return withFreeName({ ...access.collection, ...body }, () =>
      retryLockConflicts(() =>
        this.transactions.run(TABLE_LOCKS, manager =>
          idempotently(manager, call, async () => {
            if (agentIds) await keepAgents(manager, agentIds);
            const before = await lockTagged(manager, access, condition);
            const bindings = await boundTo(manager, before.id);
            requireAgentSharing(callerNow(access, before, bindings), agentIds);
            const version = agentIds && (await bindAgents(manager, before, agentIds, this.clock.now()));
            const after = this.merged({ ...before, version: version ?? before.version }, body);
            await switchHistory(this.tables, manager, before, after);
            await manager.save(Collection, after);
            const bindingsNow = agentIds === undefined ? bindings : await boundTo(manager, after.id);
            const changes = {
              before: describedCollection(before, boundAgents(bindings)),
              after: describedCollection(after, boundAgents(bindingsNow)),
            };
            const event = collectionEvent('collections.updated', after, { changes });
            await this.audit.record(manager, call, after.orgId, event);
            return collectionAnswer(callerNow(access, after, bindingsNow));
          }),
        ),
      ),
    );
  }

  private fromBody(call: Call, membership: Membership, body: CreateCollectionBody): Collection {
    const columns = parseColumns(body.properties);
    const settings = this.checked(body, DEFAULT_SETTINGS);
    const now = this.clock.now();
    return Object.assign(new Collection(), {
      id: newId(),
      orgId: membership.orgId,
      name: body.name,
      description: body.description ?? null,
      ...collectionOwner(call.principal),
      settings,
      mayExpire: settings.ttl_days > 0,
      columns,
      indexes: parseIndexes('indexes', body.indexes, columns),
      uniques: parseIndexes('uniques', body.uniques, columns),
      charts: [],
      leftovers: [],
      retiredColumns: [],
      historySince: historySince(undefined, settings.history_days, now),
      historyBytes: 0,
      status: 'ready',
      version: 1,
      deletedAt: null,
      createdAt: now,
      updatedAt: now,
    } satisfies Collection);
  }

  private merged(before: Collection, body: UpdateCollectionBody): Collection {
    const settings = this.checked(body, before.settings);
    const now = this.clock.now();
    return Object.assign(new Collection(), before, {
      name: body.name ?? before.name,
      description: body.description === undefined ? before.description : body.description,
      settings,
      mayExpire: before.mayExpire || settings.ttl_days > 0,
      historySince:
        settings.history_days === before.settings.history_days
          ? before.historySince
          : historySince(before, settings.history_days, now),
      version: before.version + 1,
      updatedAt: now,
    });
  }

  /** The settings that a request sends, and those of `others` that it leaves out. Throws 400. */
  private checked(
    { settings: sent }: Pick<UpdateCollectionBody, 'settings'>,
    others: CollectionSettings,
  ): CollectionSettings {
    const { ttl_days, max_records, history_days } = { ...others, ...sent };
    const most = this.settings.COLLECTION_MAX_RECORDS_LIMIT;
    if (max_records > most) throw invalid(`settings.max_records: at most ${most} on this service`);
    return { ttl_days, max_records, history_days };
  }

  /** The ids without duplicates, in lower case. Throws 400 for an id that is not an agent of the organization. */
  private async agentsOf(orgId: string, ids: readonly string[]): Promise<string[]> {
    const wanted = [...new Set(ids.map(id => id.toLowerCase()))];
    const unknown = wanted.length === 0 ? [] : await this.agents.unknown(orgId, wanted);
    if (unknown.length > 0)
      throw invalid(`agent_ids: not agents of this organization: ${unknown.join(', ')}`);
    return wanted;
  }

  /**
   * Row counts from PostgreSQL's statistics; empty where the tables are on other servers. The planner's count is as old as
   * the last ANALYZE, the number of live rows is a second old but is lost in a crash: the larger one counts.
   */
  private async estimates(rows: readonly Collection[]): Promise<Map<string, number>> {
    if (!this.tables.hasStatistics) return new Map();
    const tables = rows.map(row => render(tableOf(row)).text);
    const found: { rows: number }[] = await this.collections.query(
      `SELECT GREATEST(0, c.reltuples, pg_stat_get_live_tuples(c.oid))::float8 AS rows
       FROM unnest($1::text[]) WITH ORDINALITY AS t(name, n) LEFT JOIN pg_class c ON c.oid = to_regclass(t.name)
       ORDER BY t.n`,
      [tables],
    );
    return new Map(rows.map((row, index) => [row.id, Math.round(found[index]?.rows ?? 0)]));
  }
}
