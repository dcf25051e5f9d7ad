import { Injectable } from '@nestjs/common';
import { IndexUses } from '../../engine/storage/advice/index-uses.js';
import type { IndexDefinition } from '../../engine/storage/collection-shape.js';
import { isServedBy } from '../../engine/storage/explain/advice.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import type { AdviceItemView, AdviceView } from './advice.dto.js';
import { SeenShapes, type SlowQueries } from './seen-shapes.service.js';

/** Says which indexes of a collection are missing, and which nothing uses. */
@Injectable()
export class IndexAdvice {
  constructor(
    private readonly shapes: SeenShapes,
    private readonly uses: IndexUses,
  ) {}

  async list({ collection }: Access): Promise<AdviceView> {
    const [slow, unused] = await Promise.all([this.shapes.of(collection.id), this.uses.unused(collection)]);
    const missing = slow.filter(({ index }) => isMissing(collection, index));
    return { items: [...itemsOf(missing), ...unused.map(unusedItem)] };
  }
}

/** False when such an index exists already. */
function isMissing({ indexes, uniques }: Collection, wanted: IndexDefinition): boolean {
  return ![...indexes, ...uniques].some(index => isServedBy(index, wanted));
}

/** One item for each index, most time first. An index that serves the queries of a shorter one takes its place. */
function itemsOf(slow: readonly SlowQueries[]): AdviceItemView[] {
  const longestFirst = slow.toSorted((a, b) => b.index.properties.length - a.index.properties.length);
  const byIndex = new Map<IndexDefinition, SlowQueries[]>();
  for (const queries of slow) {
    const { index } = longestFirst.find(longer => isServedBy(longer.index, queries.index)) ?? queries;
    byIndex.set(index, [...(byIndex.get(index) ?? []), queries]);
  }
  return [...byIndex]
    .toSorted(([, a], [, b]) => sumOf(b, 'total_ms') - sumOf(a, 'total_ms'))
    .map(([index, shapes]) => missingItem(index, shapes));
}

function missingItem(index: IndexDefinition, shapes: readonly SlowQueries[]): AdviceItemView {
  const queries = sumOf(shapes, 'queries');
  return {
    index,
    reason: 'missing',
    queries_seen: queries,
    avg_ms: Math.round((sumOf(shapes, 'total_ms') / queries) * 1000) / 1000,
    // The first shape is the one that took most time.
    sample: shapes[0]?.sample ?? null,
  };
}

function unusedItem(index: IndexDefinition): AdviceItemView {
  return { index, reason: 'unused', queries_seen: 0, avg_ms: null, sample: null };
}

function sumOf(shapes: readonly SlowQueries[], count: 'queries' | 'total_ms'): number {
  return shapes.reduce((total, shape) => total + shape[count], 0);
}
