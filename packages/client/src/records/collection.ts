import { ChangeFeed, type ChangesOptions, currentPosition } from '../changes/change-feed.js';
import { Export, type ExportOptions } from '../transfer/export.js';
import { type ImportOptions, type ImportSummary, importFile } from '../transfer/import.js';
import { importSlices } from '../transfer/import-slices.js';
import { fileOf, type ImportSource } from '../transfer/source.js';
import { pathPart } from '../transport/path-part.js';
import { readBy } from '../transport/query-text.js';
import type { Transport } from '../transport/transport.js';
import type {
  Aggregate,
  AggregateRow,
  AggregateStep,
  Authors,
  Change,
  CollectionShape,
  Distinct,
  FieldName,
  Filter,
  Grant,
  GroupBy,
  Insert,
  LeftRecord,
  Loose,
  Projected,
  Projection,
  Row,
  Update,
  UpsertData,
} from '../types/index.js';
import { type BulkOptions, type BulkResult, bulkInsert } from './bulk.js';
import type { Erased, RecordVersion, Restored } from './history.js';
import {
  type CallOptions,
  type DryRunOptions,
  type ExplainOptions,
  type GetOptions,
  type GuardedOptions,
  type ManyOptions,
  principalOf,
  type ReadOptions,
  snakeCase,
  type UndoOptions,
  type UndoSelection,
  type WriteOptions,
  wireOf,
  writeOf,
} from './options.js';
import { type FindOptions, Query } from './query.js';
import type {
  Answer,
  BatchOperation,
  BatchResult,
  Deleted,
  Etag,
  Explanation,
  Inserted,
  RecordExplanation,
  Undone,
  Updated,
  Upserted,
} from './results.js';

/**
 * The records of one collection. Methods return what the service answers, with its names. They throw a `TcError`, or
 * the reason of their `signal`.
 */
export class Collection<C extends CollectionShape> {
  /** `/v1/collections/{name}` */
  private readonly path: string;
  private readonly data: string;

  constructor(
    private readonly transport: Transport,
    /** The id or name that requests use. */
    readonly id: string,
  ) {
    this.path = `/v1/collections/${pathPart('collection', id)}`;
    this.data = `${this.path}/data`;
  }

  /** The same collection with other fields accepted too, as `unknown`. */
  loose(): Collection<Loose<C>> {
    return this as unknown as Collection<Loose<C>>;
  }

  /** The records that a filter matches. Sends nothing until the result is read. */
  find<
    const F extends Projection<C> | undefined = undefined,
    E extends boolean = false,
    A extends boolean = false,
  >(
    filter?: Filter<C>,
    options: FindOptions<C, F, E, A> = {},
  ): Query<Projected<C, F> & (E extends true ? Etag : unknown) & (A extends true ? Authors : unknown)> {
    return new Query(this.transport, this.data, filter, options);
  }

  /** The first record that matches; undefined if there is none. */
  first<
    const F extends Projection<C> | undefined = undefined,
    E extends boolean = false,
    A extends boolean = false,
  >(filter?: Filter<C>, options?: FindOptions<C, F, E, A>) {
    return this.find(filter, options).first();
  }

  /** The exact number of records that match. */
  count(filter?: Filter<C>, options: ReadOptions = {}): Promise<number> {
    return this.find(filter, options).count();
  }

  /** The values of a field, at most 1,000. */
  async distinct<N extends FieldName<C>>(
    field: N,
    filter?: Filter<C>,
    { signal, asOf, viewAs }: ReadOptions = {},
  ): Promise<Distinct<C, N>[]> {
    const query = { field, filter, as_of: asOf, view_as: viewAs };
    const request = readBy(`${this.data}/distinct`, query, signal);
    return (await this.transport.request<{ values: Distinct<C, N>[] }>(request)).values;
  }

  /** Sums, averages, counts and extremes, for all records or for each group. */
  async aggregate<
    const S extends readonly AggregateStep<C>[],
    const G extends GroupBy<C> | undefined = undefined,
  >(
    aggregate: Aggregate<C, G, S>,
    { signal, asOf, viewAs }: ReadOptions = {},
  ): Promise<AggregateRow<C, G, S>[]> {
    const request = { body: { ...aggregate, as_of: asOf, view_as: viewAs }, readOnly: true, signal };
    const answer = await this.read<{ results: AggregateRow<C, G, S>[] }>('POST', '/aggregate', request);
    return answer.results;
  }

  /** How the service computes an aggregation, and which index would help. For queries: `find().explain()`. */
  explainAggregate(
    aggregate: Aggregate<C, GroupBy<C> | undefined, readonly AggregateStep<C>[]>,
    { signal }: CallOptions = {},
  ): Promise<Explanation> {
    return this.read('POST', '/explain', { body: { aggregate }, readOnly: true, signal });
  }

  /** Answers a question in plain language, with the plan that was executed. */
  ask(question: string, { signal }: CallOptions = {}): Promise<Answer> {
    const request = { method: 'POST', path: `${this.path}/ask`, body: { question }, readOnly: true, signal };
    return this.transport.request(request);
  }

  /**
   * One record, with its `_etag` for `ifMatch`. Throws `RecordNotFoundError`. With `ifNoneMatch`, the result is undefined
   * if the record still has this tag. With `asOf`, the result has no `_etag`;
   * with `withAuthors`, it has `_created_by` and `_updated_by`.
   */
  get(
    id: string,
    options: ReadOptions & { readonly withAuthors: true; readonly ifNoneMatch?: undefined },
  ): Promise<Row<C> & Partial<Etag> & Authors>;
  get(
    id: string,
    options?: CallOptions & {
      readonly asOf?: undefined;
      readonly viewAs?: string | undefined;
      readonly ifNoneMatch?: undefined;
    },
  ): Promise<Row<C> & Etag>;
  get(
    id: string,
    options: ReadOptions & { readonly ifNoneMatch?: undefined },
  ): Promise<Row<C> & Partial<Etag>>;
  get(
    id: string,
    options: CallOptions & { readonly asOf?: undefined; readonly ifNoneMatch: string },
  ): Promise<(Row<C> & Etag) | undefined>;
  async get(
    id: string,
    { signal, asOf, viewAs, withAuthors, ifNoneMatch }: GetOptions = {},
  ): Promise<(Row<C> & Partial<Etag>) | undefined> {
    const { data, headers } = await this.transport.send<{ record: Row<C> } | undefined>({
      method: 'GET',
      path: this.at(id),
      query: { as_of: asOf, view_as: viewAs, with_authors: withAuthors },
      headers: ifNoneMatch === undefined ? undefined : { 'if-none-match': ifNoneMatch },
      signal,
    });
    const tag = headers.get('etag');
    return data && Object.assign(data.record, tag !== null && { _etag: tag });
  }

  /** The versions of a record that are kept, the newest first. Also of a deleted record. */
  async *history(
    id: string,
    { signal, viewAs }: CallOptions & Pick<ReadOptions, 'viewAs'> = {},
  ): AsyncGenerator<RecordVersion<C>, void, undefined> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const request = {
        method: 'GET',
        path: `${this.at(id)}/history`,
        query: { cursor, limit: 100, view_as: viewAs },
        signal,
      };
      const page: { items: RecordVersion<C>[]; next_cursor: string | null } =
        await this.transport.request(request);
      yield* page.items;
      cursor = page.next_cursor;
    }
  }

  /** By which grants the caller, or another principal, may read, update or delete a record. */
  explainAccess(
    action: 'read' | 'update' | 'delete',
    id: string,
    options: ExplainOptions = {},
  ): Promise<RecordExplanation> {
    return this.transport.request({
      method: 'GET',
      path: `${this.path}/access/explain`,
      query: { action, record_id: id, ...principalOf(options) },
      signal: options.signal,
    });
  }

  /** By which grants the caller, or another principal, may insert a record. Nothing is written. */
  explainInsert(record: Insert<C>, options: ExplainOptions = {}): Promise<RecordExplanation> {
    return this.transport.request({
      method: 'POST',
      path: `${this.path}/access/explain`,
      body: { action: 'create', record, ...principalOf(options) },
      readOnly: true,
      signal: options.signal,
    });
  }

  /** Inserts one record, or up to 1,000: all or none. */
  insert(
    records: Insert<C> | readonly Insert<C>[],
    options: WriteOptions & { readonly ttlDays?: number } = {},
  ): Promise<Inserted> {
    return this.write('POST', '', { records, ...wireOf(options) }, options);
  }

  /**
   * Inserts or upserts any number of records in order, in requests of up to 5,000. Throws a `PartialWriteError` when a
   * request fails after others succeeded.
   */
  bulk(
    records: Iterable<Insert<C>> | AsyncIterable<Insert<C>>,
    options: BulkOptions = {},
  ): Promise<BulkResult> {
    return bulkInsert(this.transport, this.data, records, options);
  }

  /** Inserts, updates and deletes up to 1,000 records in one transaction: all or none. */
  batch(
    operations: readonly BatchOperation<C>[],
    options: WriteOptions & DryRunOptions = {},
  ): Promise<BatchResult> {
    return this.write('POST', '/batch', { operations, ...wireOf(options) }, options);
  }

  /** Changes one record: sets fields, or applies update operators. */
  async update(id: string, update: Update<C>, options: GuardedOptions & WriteOptions = {}): Promise<Updated> {
    const { ifMatch } = options;
    const request = { method: 'PATCH', path: this.at(id), body: update, ifMatch };
    return this.transport.request({ ...request, ...writeOf(options) });
  }

  /** Changes all records that a filter matches. */
  updateMany(filter: Filter<C>, update: Update<C>, options: ManyOptions = {}): Promise<Updated> {
    return this.write('PATCH', '', { filter, update, ...wireOf(options) }, options);
  }

  /** Changes the record that has the values of `matchFields`, or inserts one. */
  async upsert(
    data: UpsertData<C>,
    options: WriteOptions & { readonly matchFields: readonly FieldName<C>[]; readonly ttlDays?: number },
  ): Promise<Upserted> {
    const body = { data, ...wireOf(options) };
    return (await this.write<{ result: Upserted }>('POST', '/upsert', body, options)).result;
  }

  /** Deletes one record. Succeeds if a repeated attempt finds that an attempt before it has deleted the record. */
  async delete(id: string, { signal, ifMatch }: GuardedOptions = {}): Promise<Deleted> {
    const gone: Deleted = { deleted_count: 1 };
    return this.transport.request({ method: 'DELETE', path: this.at(id), ifMatch, signal, gone });
  }

  /** Deletes all records that a filter matches. Most services refuse it: see `ALLOW_BULK_DELETE`. */
  deleteMany(filter: Filter<C>, options: ManyOptions = {}): Promise<Deleted> {
    return this.write('POST', '/delete', { filter, ...wireOf(options) }, options);
  }

  /** Puts back what writes replaced and deletes what they inserted, in one transaction. Writes of others need the role admin. */
  undo(selection: UndoSelection, options: UndoOptions = {}): Promise<Undone> {
    // The actor of a version has more fields than the service accepts here.
    const actor = 'actor' in selection && { actor: { type: selection.actor.type, id: selection.actor.id } };
    const body = { ...snakeCase(selection), ...actor, ...wireOf(options) };
    return this.transport.request({ method: 'POST', path: `${this.path}/undo`, body, ...writeOf(options) });
  }

  /** Makes the records that a filter matches, now or then, what they were at an instant. */
  restore(asOf: string, filter?: Filter<C>, options: WriteOptions & DryRunOptions = {}): Promise<Restored> {
    const body = { as_of: asOf, filter, ...wireOf(options) };
    return this.transport.request({
      method: 'POST',
      path: `${this.path}/restore`,
      body,
      ...writeOf(options),
    });
  }

  /** Deletes a record with its history, for good. Nothing can bring it back. */
  erase(id: string, { signal }: CallOptions = {}): Promise<Erased> {
    return this.transport.request({ method: 'DELETE', path: this.at(id), query: { erase: true }, signal });
  }

  /** Imports a CSV or NDJSON file of any length, all rows or none unless options say otherwise. */
  async import(source: ImportSource, options: ImportOptions = {}): Promise<ImportSummary> {
    const { sliceBytes } = options;
    const path = `${this.path}/import`;
    if (sliceBytes === undefined) return importFile(this.transport, path, source, options);
    const file = fileOf(source);
    if (!(file instanceof Blob)) throw new TypeError('sliceBytes: expects a file, text or bytes');
    return importSlices(this.transport, path, file, { ...options, sliceBytes });
  }

  /** All records as they are at one instant, as records or as a CSV or NDJSON file. */
  export<const F extends Projection<C> | undefined = undefined>(
    options: ExportOptions<C, F> = {},
  ): Export<Projected<C, F>> {
    return new Export(this.transport, `${this.path}/export`, options);
  }

  /** The changes of records as they are made. With `left: true` also the records that the feed no longer has. */
  changes(options: ChangesOptions<C> & { readonly left: true }): ChangeFeed<C, Change<C> | LeftRecord>;
  changes(options?: ChangesOptions<C>): ChangeFeed<C>;
  changes(options: ChangesOptions<C> = {}): ChangeFeed<C> {
    return new ChangeFeed(this.transport, `${this.path}/changes`, options);
  }

  /** The present position of the changes: take it, read the records, then follow the changes from it. */
  position(options: CallOptions = {}): Promise<string> {
    return currentPosition(this.transport, `${this.path}/changes`, options);
  }

  /** Shares the collection, or changes a share. The caller needs the right `share`. */
  grant(body: Grant<C>, options: WriteOptions = {}): Promise<Grant<C>> {
    return this.transport.request({ method: 'POST', path: `${this.path}/access`, body, ...writeOf(options) });
  }

  private at(id: string): string {
    return `${this.data}/${pathPart('id', id)}`;
  }

  private read<T>(method: string, path: string, request: object): Promise<T> {
    return this.transport.request({ method, path: this.data + path, ...request });
  }

  private write<T>(method: string, path: string, body: object, options: WriteOptions): Promise<T> {
    return this.transport.request({ method, path: this.data + path, body, ...writeOf(options) });
  }
}
