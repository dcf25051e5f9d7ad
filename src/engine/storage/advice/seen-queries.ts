import { Injectable } from '@nestjs/common';
import type { Sql } from '../../../base/sql/index.js';
import type { Filter } from '../../filter/index.js';
import {
  type CollectionShape,
  declaredColumn,
  type IndexDefinition,
  isSystemField,
  systemColumn,
} from '../collection-shape.js';
import { type AskedRead, adviceFor } from '../explain/advice.js';
import { rendered, type Statement } from '../statement.js';
import { type QuerySample, querySample } from './query-sample.js';

/** Shapes that an instance counts at once. Queries of further shapes are not counted. */
export const MAX_SEEN_SHAPES = 10_000;
/** Shapes whose statement is kept until it is measured. */
const MAX_WAITING = 1_000;
/** Characters of the values of a statement that is kept, and of a sample. Larger queries are not counted. */
const MAX_CHARS = 16_384;
/** A measured shape that is still in use is measured again after this time, because its collection may have grown. */
const MEASURED_AGAIN_MS = 3_600_000;
/** A shape that was not seen during so many periods is forgotten. */
const IDLE_PERIODS = 4;

/** A collection with its indexes. */
export interface IndexedShape extends CollectionShape {
  readonly indexes: readonly IndexDefinition[];
  readonly uniques: readonly IndexDefinition[];
}

/** A read that shows how the queries of a shape are executed. It has the values of one of them. */
export interface MeasurableRead {
  readonly collection: IndexedShape;
  readonly asked: AskedRead;
  readonly statement: Statement;
}

/** Queries of one shape since they were last written, with the index that they would have used. */
export interface CountedQueries {
  readonly collectionId: string;
  readonly index: IndexDefinition;
  readonly sample: QuerySample;
  readonly queries: number;
  readonly totalMs: number;
}

/** The queries of one shape: reads of a collection that differ only in their values. */
class SeenQuery {
  private queries = 0;
  private totalMs = 0;
  private idlePeriods = 0;
  /** Set until it has been measured. No values are kept after that. */
  waiting: MeasurableRead | undefined;
  /** When the next read of this shape is to be measured, by `performance.now()`. */
  measureAt = 0;
  private sample: QuerySample | undefined;
  private index: IndexDefinition | undefined;

  constructor(readonly collection: IndexedShape) {}

  count(ms: number): void {
    this.queries += 1;
    this.totalMs += ms;
    this.idlePeriods = 0;
  }

  get time(): number {
    return this.totalMs;
  }

  settle(index: IndexDefinition | undefined, sample?: QuerySample): void {
    this.waiting = undefined;
    this.measureAt = performance.now() + MEASURED_AGAIN_MS;
    this.index = index;
    this.sample = sample;
  }

  /** The counts, which begin at zero again; undefined when there is nothing to write. */
  take(): CountedQueries | undefined {
    const { queries, totalMs, index, sample, collection } = this;
    this.idlePeriods += 1;
    if (this.waiting !== undefined || queries === 0) return undefined;
    this.queries = 0;
    this.totalMs = 0;
    return index && sample && { collectionId: collection.id, index, sample, queries, totalMs };
  }

  get isForgotten(): boolean {
    return this.idlePeriods > IDLE_PERIODS;
  }
}

/**
 * Counts the queries of this instance by shape, in bounded memory. Queries of one shape have the same SQL; names of
 * flexible fields are values in it, so they are compared too.
 */
@Injectable()
export class SeenQueries {
  // biome-ignore lint/plugin/bounded-maps: at most MAX_SEEN_SHAPES
  private readonly byShape = new Map<Sql['shape'], Map<string, SeenQuery>>();
  private size = 0;
  private waitingCount = 0;

  /** Counts a read that began at `began`, by `performance.now()`, and has just ended. */
  add(read: MeasurableRead, began: number): void {
    const now = performance.now();
    const query = this.queryOf(read);
    if (query === undefined) return;
    query.count(now - began);
    if (now >= query.measureAt) this.plan(query, read);
  }

  /** Shapes to measure, those that took most time first. */
  waiting(most: number): SeenQuery[] {
    return this.all()
      .filter(({ waiting }) => waiting !== undefined)
      .sort((a, b) => b.time - a.time)
      .slice(0, most);
  }

  /** Ends the wait of a shape: its queries would have used this index; undefined when none would help. */
  settle(query: SeenQuery, index: IndexDefinition | undefined): void {
    const { waiting } = query;
    if (waiting === undefined) return;
    this.waitingCount -= 1;
    query.settle(index, index && querySample(waiting.collection, waiting.asked));
  }

  /** Ends the wait of a shape that could not be measured. The next query of it waits again. */
  measureLater(query: SeenQuery): void {
    if (query.waiting === undefined) return;
    this.waitingCount -= 1;
    query.waiting = undefined;
  }

  /** The queries counted since the last call that would have used an index. Forgets shapes that are not in use any more. */
  take(): CountedQueries[] {
    const taken = this.all().flatMap(query => query.take() ?? []);
    for (const [shape, queries] of this.byShape) {
      for (const [paths, query] of queries) if (query.isForgotten) this.forget(queries, paths, query);
      if (queries.size === 0) this.byShape.delete(shape);
    }
    return taken;
  }

  private all(): SeenQuery[] {
    return [...this.byShape.values()].flatMap(queries => [...queries.values()]);
  }

  /** A change of the collection may have added an index or a column, so its queries are seen as new ones. */
  private queryOf({ collection, asked, statement }: MeasurableRead): SeenQuery | undefined {
    const { shape } = statement.query;
    const queries = this.byShape.get(shape);
    const paths = flexiblePaths(collection, asked);
    const seen = queries?.get(paths);
    if (seen?.collection.version === collection.version) return seen;
    if (seen !== undefined) this.forget(queries as Map<string, SeenQuery>, paths, seen);
    if (this.size >= MAX_SEEN_SHAPES) return undefined;
    const made = new SeenQuery(collection);
    if (queries === undefined) this.byShape.set(shape, new Map([[paths, made]]));
    else queries.set(paths, made);
    this.size += 1;
    return made;
  }

  private forget(queries: Map<string, SeenQuery>, paths: string, query: SeenQuery): void {
    queries.delete(paths);
    this.size -= 1;
    if (query.waiting !== undefined) this.waitingCount -= 1;
  }

  /** Keeps the read until it is measured, if an index could help it at all. */
  private plan(query: SeenQuery, read: MeasurableRead): void {
    if (query.waiting !== undefined || this.waitingCount >= MAX_WAITING) return;
    if (!canHaveAdvice(read) || isLarge(read)) {
      query.settle(undefined);
      return;
    }
    const { collection, asked, statement } = read;
    // `asked` may be part of a request, which must not be kept.
    query.waiting = { collection, asked: { filter: asked.filter, sort: asked.sort }, statement };
    this.waitingCount += 1;
  }
}

/** The paths of a read that are not columns. Only few reads have any, and for others no text is made. */
function flexiblePaths({ columns }: CollectionShape, { filter, sort }: AskedRead): string {
  let paths = '';
  const add = (path: readonly string[]) => {
    const name = path[0] as string;
    if (
      path.length > 1 ||
      !(isSystemField(name) || declaredColumn(columns, name) || systemColumn(columns, name))
    )
      paths += `${path.join('.')} `;
  };
  const visit = (each: Filter): void => {
    if (each.kind === 'field') add(each.path);
    else if ('filters' in each) each.filters.forEach(visit);
  };
  if (filter !== undefined) visit(filter);
  if (sort !== undefined) for (const { path } of sort) add(path);
  return paths;
}

/** A number of records that makes an index worth while. */
const MANY = 1_000_000;

/** True when a read of many records would get advice, whether few or most of them match. */
function canHaveAdvice({ collection, asked }: MeasurableRead): boolean {
  const existing = [...collection.indexes, ...collection.uniques];
  return [0, MANY].some(matchedRows => {
    const rows = { readRows: MANY, matchedRows, returnedRows: 0 };
    return adviceFor(collection, asked, existing, rows) !== undefined;
  });
}

function isLarge({ collection, asked, statement }: MeasurableRead): boolean {
  const { values } = rendered(statement);
  return [values, querySample(collection, asked)].some(each => JSON.stringify(each).length > MAX_CHARS);
}
