import { Injectable } from '@nestjs/common';
import { Analytics } from '../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type { ListCollectionsQuery } from '../collections/collections.dto.js';
import { collectionView } from '../collections/collections.dto.js';
import { Collections } from '../collections/collections.service.js';
import { PlatformError } from '../kernel/errors.js';
import { productMembership } from '../orgs/org.guard.js';
import { RecordReader } from '../records/record-reader.service.js';
import type { McpSession } from './mcp-session.js';
import { type RecordSheet, recordSheet } from './record-sheet.js';

/** Records that show what a collection is like. */
const SAMPLES = 5;
/** Characters of a description in a list. */
const SHORT = 200;

/** A collection in a list. */
export interface CollectionSummary {
  readonly collection_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly row_count: number | null;
}

/** What a caller can find out about collections before it knows any. */
@Injectable()
export class Discovery {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly collections: Collections,
    private readonly analytics: Analytics,
    private readonly reader: RecordReader,
  ) {}

  /** The collections within reach; the only one of the endpoint or of a collection key. */
  async list(
    { call, access }: McpSession,
    query: ListCollectionsQuery,
  ): Promise<{ items: CollectionSummary[]; total: number }> {
    const { principal } = call;
    const only = access?.collection.id ?? principal.collectionId;
    if (only !== undefined) {
      const reached = await this.accesses.fresh(principal, only, 'read');
      return { items: query.page === 1 ? [summary(this.view(reached))] : [], total: 1 };
    }
    const membership = productMembership(principal, 'collections:read');
    const { items, total } = await this.collections.list(call, membership, query);
    return { items: items.map(summary), total };
  }

  /** Metadata and schema, without what nobody asks a model about. */
  schema(access: Access) {
    const { charts, agent_ids, owner_id, owner_type, row_count, ...schema } = this.view(access);
    return { ...schema, role: access.role };
  }

  /** How many records there are; null where counting takes too long. */
  async rowCount(access: Access): Promise<number | null> {
    try {
      return (await this.analytics.count(access, {})).count;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'QueryTimeout') return null;
      throw error;
    }
  }

  /** The first records, as many as fit. */
  async sample(access: Access, maxBytes: number): Promise<RecordSheet> {
    const { records } = await this.reader.queryWithin(access, { limit: SAMPLES }, maxBytes);
    return recordSheet(records, maxBytes);
  }

  private view({ collection, membership }: Access) {
    return collectionView(collection, membership.orgSlug);
  }
}

function summary({ collection_id, name, description, row_count }: CollectionSummary): CollectionSummary {
  return { collection_id, name, description: description?.slice(0, SHORT).toWellFormed() ?? null, row_count };
}
