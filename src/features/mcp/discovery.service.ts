import { Injectable } from '@nestjs/common';
import { PlatformError } from '../../base/kernel/errors.js';
import type { JsonObject } from '../../base/kernel/json.js';
import { Analytics } from '../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { collectionView } from '../collections/collection-view.js';
import type { ListCollectionsQuery } from '../collections/collections.dto.js';
import { Collections } from '../collections/collections.service.js';
import { productMembership } from '../orgs/organization.step.js';
import { QueryRecords } from '../records/query/query-records.service.js';
import type { McpSession } from './tools/tool.js';
import { shownRecords } from './tools/tool-answer.js';

/** Number of records in a sample. */
const SAMPLES = 5;
/** Maximum length of a description in a list, in characters. */
const SHORT = 200;

/** A collection in a list. */
export interface CollectionSummary {
  readonly collection_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly row_count: number | null;
}

/** Records of a sample. `too_large` has the ids of those that are not shown as a whole. */
interface Sample {
  readonly records: JsonObject[];
  readonly too_large?: string[];
}

/** Lists collections, and shows the schema, the size and a sample of one. */
@Injectable()
export class Discovery {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly collections: Collections,
    private readonly analytics: Analytics,
    private readonly reader: QueryRecords,
  ) {}

  /**
   * The collections that the caller can read. On the endpoint of a collection, or with its key, there is only that one.
   */
  async list(
    { call, access }: McpSession,
    query: ListCollectionsQuery,
  ): Promise<{ items: CollectionSummary[]; total: number }> {
    const { principal } = call;
    const only = access?.collection.id ?? principal.collectionId;
    if (only !== undefined) {
      const reached = await this.accesses.toMetadata(principal, only);
      return { items: query.page === 1 ? [summary(this.view(reached))] : [], total: 1 };
    }
    const membership = productMembership(principal, 'collections:read');
    const { items, total } = await this.collections.list(call, membership, query);
    return { items: items.map(summary), total };
  }

  /** Metadata and schema, without the fields that are of no use to a model. */
  schema(access: Access) {
    const { charts, agent_ids, owner_id, owner_type, row_count, history_bytes, ...schema } =
      this.view(access);
    return { ...schema, role: access.role };
  }

  /** The number of records; null when counting takes longer than a query may. */
  async rowCount(access: Access): Promise<number | null> {
    try {
      return (await this.analytics.count(access, {})).count;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'QueryTimeout') return null;
      throw error;
    }
  }

  /** The first records, as many as fit into `maxBytes`. */
  async sample(access: Access, maxBytes: number): Promise<Sample> {
    const page = await this.reader.queryWithin(access, { limit: SAMPLES }, maxBytes);
    const { texts, tooLarge } = shownRecords(page.records, maxBytes);
    return {
      records: texts.map(text => JSON.parse(text)),
      ...(tooLarge.length > 0 && { too_large: tooLarge }),
    };
  }

  private view(access: Access) {
    return collectionView(access);
  }
}

function summary({ collection_id, name, description, row_count }: CollectionSummary): CollectionSummary {
  return { collection_id, name, description: description?.slice(0, SHORT).toWellFormed() ?? null, row_count };
}
