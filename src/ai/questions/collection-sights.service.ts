import { Injectable } from '@nestjs/common';
import { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import { RecordReader } from '../../records/record-reader.service.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { CollectionSight } from '../question-planner.js';

const SAMPLES = 5;

/** What planners are told of a collection, read as the caller would read it. */
@Injectable()
export class CollectionSights {
  constructor(
    private readonly records: RecordReader,
    private readonly analytics: Analytics,
  ) {}

  async of(access: Access): Promise<CollectionSight> {
    const [{ count }, { text }] = await Promise.all([
      this.analytics.count(access, {}),
      this.records.query(access, { limit: SAMPLES }),
    ]);
    const samples = (JSON.parse(text) as { records: Record<string, unknown>[] }).records;
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
      flexibleFields: [...new Set(samples.flatMap(Object.keys))].filter(field => !declared.has(field)),
      samples,
      rowCount: count,
    };
  }
}
