import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import { type JsonText, jsonList } from '../../base/kernel/json.js';
import { shortened } from '../../base/kernel/text.js';
import {
  type FieldPath,
  type Filter,
  parseFieldPath,
  parseFilter,
  parseSort,
} from '../../engine/filter/index.js';
import { resultTooLarge } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { type Aggregation, aggregateStatement, MAX_GROUPS } from '../../engine/storage/records/aggregate.js';
import {
  type DistinctPart,
  distinctPartStatement,
  distinctStatement,
} from '../../engine/storage/records/distinct.js';
import { countStatement } from '../../engine/storage/records/read.js';
import type { Read } from '../../engine/storage/statement.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type {
  AggregateRecordsBody,
  CountRecordsQuery,
  CountView,
  DistinctValuesQuery,
} from './analytics.dto.js';

const MAX_GROUP_FIELDS = 5;

/** Counts, distinct values and aggregations. PostgreSQL computes all of them. */
@Injectable()
export class Analytics {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
  ) {}

  async count(access: Access, query: CountRecordsQuery): Promise<CountView> {
    const filter = filterOf(query.filter);
    const count = await this.read(access, { ...query, filter }, ({ collection }) =>
      countStatement(collection, filter),
    );
    return { count };
  }

  /** `maxValueBytes` leaves out values with a longer text. */
  async distinct(access: Access, query: DistinctValuesQuery, maxValueBytes?: number): Promise<JsonText> {
    const path = parseFieldPath(query.field);
    const filter = filterOf(query.filter);
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
    { field, filter, as_of }: DistinctValuesQuery,
    part: DistinctPart,
  ): Promise<([unknown] | null)[]> {
    const [path, parsed] = [parseFieldPath(field), filterOf(filter)];
    const { texts } = await this.read(access, { as_of, filter: parsed }, ({ collection }) =>
      distinctPartStatement(collection, path, parsed, part),
    );
    return texts.map(text => JSON.parse(text));
  }

  /** The aggregation that `aggregate` would compute, with its statement. Throws 400. */
  request(body: AggregateRecordsBody) {
    const aggregation = parseAggregation(body);
    return {
      filter: aggregation.filter,
      statement: ({ collection }: Access) => aggregateStatement(collection, aggregation),
    };
  }

  async aggregate(access: Access, body: AggregateRecordsBody): Promise<JsonText> {
    const { filter, statement } = this.request(body);
    const { texts: results, isCut } = await this.read(access, { ...body, filter }, statement);
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

function parseAggregation(body: AggregateRecordsBody): Aggregation {
  const groupBy = groupFields(body.group_by);
  const names = [...groupBy.map(path => path.join('.')), ...body.steps.map(step => step.output_field)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalid(`steps: two fields of the result would be named ${JSON.stringify(shortened(twice))}`);
  return {
    steps: body.steps.map(({ type, input_field, output_field }) => ({
      type,
      input: input_field === undefined ? undefined : parseFieldPath(input_field),
      output: outputName(output_field),
    })),
    groupBy,
    filter: filterOf(body.filter),
    having: filterOf(body.having),
    sort:
      body.sort === undefined
        ? undefined
        : parseSort(body.sort).filter(({ path }) => names.includes(path.join('.')) || path[0] !== '_id'),
    limit: body.limit,
  };
}

function groupFields(groupBy: unknown): FieldPath[] {
  if (groupBy === undefined) return [];
  const list = Array.isArray(groupBy) ? groupBy : [groupBy];
  if (list.length > MAX_GROUP_FIELDS) throw invalid(`group_by: at most ${MAX_GROUP_FIELDS} fields`);
  return list.map(parseFieldPath);
}

/** The name of an output follows the rules for top-level field names. */
function outputName(name: string): string {
  if (parseFieldPath(name).length > 1)
    throw invalid(`steps: the output_field ${JSON.stringify(shortened(name))} must not contain '.'`);
  return name;
}

function filterOf(filter: unknown) {
  return filter === undefined ? undefined : parseFilter(filter);
}
