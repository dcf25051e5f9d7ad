import { Injectable } from '@nestjs/common';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { QueryRecords } from '../../records/query-records.service.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { CollectionSight } from '../question-planner.js';

const SAMPLES = 5;
/** Maximum size of the samples, unless a single record is larger. */
const SAMPLE_BYTES = 1024 * 1024;
/** Maximum number of names of other fields. */
const MAX_FLEXIBLE = 500;

/** Reads the information about a collection that planners get, with the caller's rights. */
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
