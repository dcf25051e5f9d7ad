import { Injectable } from '@nestjs/common';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { QueryRecords } from '../../records/query-records.service.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { CollectionSight } from '../question-planner.js';

const SAMPLES = 5;
/** Bytes of the samples, unless one record alone is longer. */
const SAMPLE_BYTES = 1024 * 1024;
/** Names of other fields that are told, however many there are in the samples. */
const MAX_FLEXIBLE = 500;

/** What planners are told of a collection, read as the caller would read it. */
@Injectable()
export class CollectionSights {
  constructor(
    private readonly records: QueryRecords,
    private readonly analytics: Analytics,
  ) {}

  async of(access: Access): Promise<CollectionSight> {
    const [{ count }, page] = await Promise.all([
      this.analytics.count(access, {}),
      this.records.queryWithin(access, { limit: SAMPLES }, SAMPLE_BYTES),
    ]);
    const samples = page.records.map(text => JSON.parse(text) as Record<string, unknown>);
    const { name, description, columns } = access.collection;
    const declared = new Set([...Object.keys(columns), ...SYSTEM_FIELDS]);
    return {
      name,
      description,
      columns: Object.entries(columns).map(([column, { type, nullable }]) => ({
        name: column,
        type,
        nullable,
      })),
      flexibleFields: [...new Set(samples.flatMap(Object.keys))]
        .filter(field => !declared.has(field))
        .slice(0, MAX_FLEXIBLE),
      samples,
      rowCount: count,
    };
  }
}
