import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { inBatches } from '../../base/kernel/bounds/batches.js';
import { deadlineIn, isOver } from '../../base/kernel/bounds/deadline.js';
import { Clock, DAY_MS } from '../../base/kernel/clock.js';
import type { QuerySample } from '../../engine/storage/advice/query-sample.js';
import {
  type CountedQueries,
  type MeasurableRead,
  SeenQueries,
} from '../../engine/storage/advice/seen-queries.js';
import type { IndexDefinition } from '../../engine/storage/collection-shape.js';
import { adviceFor } from '../../engine/storage/explain/advice.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { Settings } from '../../platform/config/settings.js';
import { Admission } from '../../platform/database/admission/admission.js';
import { SeenShape } from './seen-shape.entity.js';

const KEPT_DAYS = 7;
/** Shapes that one write measures at most, and the time after which it begins no further measurement. */
const MEASURED_AT_ONCE = 10;
const MEASURING_MS = 2_000;
/** Shapes of a collection that advice is made of: those that took most time. */
const MAX_SHAPES = 1_000;
const JOB = 'write-seen-queries';

/** Adds counts to those of other instances. Collections that were deleted meanwhile are left out. */
const ADD = `INSERT INTO seen_queries AS s (collection_id, day, shape, index, sample, queries, total_ms)
  SELECT c.id, $2::date, q.shape, q.index, q.sample, q.queries, q.total_ms
  FROM json_to_recordset($1::json) AS q(collection_id uuid, shape text, index json, sample json, queries bigint,
    total_ms float8)
  JOIN collections c ON c.id = q.collection_id AND c.deleted_at IS NULL ORDER BY c.id, q.shape FOR KEY SHARE OF c
  ON CONFLICT (collection_id, day, shape) DO UPDATE
  SET queries = s.queries + excluded.queries, total_ms = s.total_ms + excluded.total_ms`;
const FIND = `SELECT (array_agg(index))[1] AS index, (array_agg(sample))[1] AS sample, sum(queries)::float8 AS queries,
    sum(total_ms) AS total_ms
  FROM seen_queries WHERE collection_id = $1 AND day > $2::date GROUP BY shape ORDER BY 4 DESC LIMIT ${MAX_SHAPES}`;

/** Counts that one statement removes. */
const BATCH = 5_000;
/** The rows stay where they were found, because they are locked. */
const REMOVE_OLD = `DELETE FROM seen_queries WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM seen_queries WHERE day <= $1::date ORDER BY day LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

/** Queries of the last 7 days that would have used an index, all of the same shape. */
export interface SlowQueries {
  readonly index: IndexDefinition;
  readonly sample: QuerySample;
  readonly queries: number;
  readonly total_ms: number;
}

/** Measures the queries that this instance has seen, and writes how often they were sent. */
@Injectable()
export class SeenShapes {
  constructor(
    @InjectRepository(SeenShape) private readonly shapes: Repository<SeenShape>,
    private readonly seen: SeenQueries,
    private readonly store: RecordStore,
    private readonly admission: Admission,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Executes one query of each new shape to learn which index it lacks, then writes the counts in one statement. */
  async write(): Promise<{ measured: number; written: number }> {
    const measured = await this.measure();
    const rows = rowsOf(this.seen.take());
    if (rows.length > 0) await this.shapes.query(ADD, [JSON.stringify(rows), dayOf(this.clock.now())]);
    return { measured, written: rows.length };
  }

  /** The shapes of a collection that took most time, that one first. */
  async of(collectionId: string): Promise<SlowQueries[]> {
    return this.shapes.query(FIND, [collectionId, this.lastDayGone()]);
  }

  /** Removes the counts of days that are over. */
  removeOld(signal: AbortSignal): Promise<number> {
    const upTo = [this.lastDayGone()];
    return inBatches(BATCH, signal, async () => (await this.shapes.query(REMOVE_OLD, upTo))[1]);
  }

  private async measure(): Promise<number> {
    const until = deadlineIn(MEASURING_MS);
    let measured = 0;
    for (const query of this.seen.waiting(MEASURED_AT_ONCE)) {
      if (isOver(until)) break;
      try {
        this.seen.settle(query, query.waiting && (await this.indexFor(query.waiting)));
        measured += 1;
      } catch {
        // The collection has changed, or the database is busy.
        this.seen.measureLater(query);
      }
    }
    return measured;
  }
  /** The index with which this read would read far fewer records; undefined when none would help. */
  private async indexFor({
    collection,
    asked,
    statement,
  }: MeasurableRead): Promise<IndexDefinition | undefined> {
    const until = deadlineIn(this.settings.REQUEST_TIMEOUT_MS);
    const explain = () => this.store.explain(collection, statement, until);
    const measured = await this.admission.jobs.run(JOB, JOB, explain);
    return adviceFor(collection, asked, [...collection.indexes, ...collection.uniques], measured);
  }

  private lastDayGone(): string {
    return dayOf(new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MS));
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Queries with the same sample and index are one row. */
function rowsOf(counted: readonly CountedQueries[]) {
  const rows = counted.map(({ collectionId, index, sample, queries, totalMs }) => {
    const shape = createHash('sha256')
      .update(JSON.stringify([index, sample]))
      .digest('base64url');
    return { collection_id: collectionId, shape, index, sample, queries, total_ms: totalMs };
  });
  const byKey = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    const key = `${row.collection_id} ${row.shape}`;
    const { queries, total_ms } = byKey.get(key) ?? { queries: 0, total_ms: 0 };
    byKey.set(key, { ...row, queries: row.queries + queries, total_ms: row.total_ms + total_ms });
  }
  return [...byKey.values()];
}
