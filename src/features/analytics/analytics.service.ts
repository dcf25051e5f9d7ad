import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import { type JsonText, jsonList } from '../../base/kernel/json.js';
import { type Filter, parseFieldPath } from '../../engine/filter/index.js';
import { resultTooLarge } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { aggregateStatement, MAX_GROUPS } from '../../engine/storage/records/aggregate/aggregate.js';
import { MAX_FILLED } from '../../engine/storage/records/aggregate/groups.js';
import {
  type DistinctPart,
  distinctPartStatement,
  distinctStatement,
} from '../../engine/storage/records/distinct.js';
import { countStatement } from '../../engine/storage/records/read.js';
import type { Read } from '../../engine/storage/statement.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type { AggregatedRecords, CountedRecords, CountView, DistinctOfRecords } from './analytics.dto.js';
import { optionalFilter, parseAggregation } from './parse-aggregation.js';

/** Counts, distinct values and aggregations. PostgreSQL computes all of them. */
@Injectable()
export class Analytics {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
  ) {}

  async count(access: Access, query: CountedRecords): Promise<CountView> {
    const filter = optionalFilter(query.filter);
    const count = await this.read(access, { ...query, filter }, ({ collection }) =>
      countStatement(collection, filter),
    );
    return { count };
  }

  /** `maxValueBytes` leaves out values with a longer text. */
  async distinct(access: Access, query: DistinctOfRecords, maxValueBytes?: number): Promise<JsonText> {
    const path = parseFieldPath(query.field);
    const filter = optionalFilter(query.filter);
    const { texts: values, isCut } = await this.read(access, { ...query, filter }, ({ collection }) =>
      distinctStatement(collection, path, filter, maxValueBytes),
    );
    if (isCut) throw resultTooLarge('export the records, or take a field with shorter values');
    const head = `{"field":${JSON.stringify(query.field)},"count":${values.length},"values":`;
    return jsonList(head, values, '}');
  }

  /** One part of the values, each as `[value]`; null for a value whose text is longer than the part allows. */
  async distinctPart(
    access: Access,
    { field, filter, as_of }: DistinctOfRecords,
    part: DistinctPart,
  ): Promise<([unknown] | null)[]> {
    const [path, parsed] = [parseFieldPath(field), optionalFilter(filter)];
    const { texts } = await this.read(access, { as_of, filter: parsed }, ({ collection }) =>
      distinctPartStatement(collection, path, parsed, part),
    );
    return texts.map(text => JSON.parse(text));
  }

  /** The aggregation that `aggregate` would compute, with its statement. Throws 400. */
  request(body: AggregatedRecords) {
    const aggregation = parseAggregation(body);
    return {
      filter: aggregation.filter,
      statement: ({ collection }: Access) => aggregateStatement(collection, aggregation),
    };
  }

  async aggregate(access: Access, body: AggregatedRecords): Promise<JsonText> {
    const { filter, statement } = this.request(body);
    const { texts: results, isCut, isTooLong } = await this.read(access, { ...body, filter }, statement);
    if (isTooLong) {
      throw invalid(
        `fill: more than ${MAX_FILLED} groups from the first to the last; narrow the filter or take larger groups`,
      );
    }
    if (isCut) throw resultTooLarge('send a limit, or group by shorter values');
    if (results.length > MAX_GROUPS) {
      throw invalid(`group_by: more than ${MAX_GROUPS} groups; narrow the filter or send a limit`);
    }
    return jsonList('{"results":', results, '}');
  }

  /** Its result depends on all records that match, in no particular order. */
  private read<T>(
    access: Access,
    { filter, as_of }: { readonly filter: Filter | undefined; readonly as_of?: string | undefined },
    statement: (current: Access) => Read<T>,
  ): Promise<T> {
    const options = { caller: access.caller };
    return this.accesses.withVersionCheck(this.accesses.asOf(access, as_of), (current, until) =>
      this.store.readCounted(
        current.collection,
        { filter, sort: undefined },
        statement(current),
        until,
        options,
      ),
    );
  }
}
