import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { QuerySample } from '../../engine/storage/advice/query-sample.js';
import type { IndexDefinition } from '../../engine/storage/collection-shape.js';

/**
 * The queries of one shape and day, of all instances, that would have read far fewer records with an index. It has the
 * names of types instead of values. Deleted with the collection, and after 7 days.
 */
@Entity('seen_queries')
export class SeenShape {
  @PrimaryColumn('uuid') collectionId: string;
  /** In UTC. */
  @PrimaryColumn('date') day: string;
  /** Digest of the index and the sample. */
  @PrimaryColumn('text') shape: string;
  @Column('json') index: IndexDefinition;
  @Column('json') sample: QuerySample;
  @Column('bigint') queries: string;
  @Column('double precision') totalMs: number;
}
