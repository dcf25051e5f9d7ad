import type { Presence } from '../../base/kernel/bounds/deadline.js';
import type { ColumnTypeName } from '../../engine/columns/index.js';

/** The information about a collection that a planner gets: its schema, a few records and their total number. */
export interface CollectionOutline {
  readonly name: string;
  readonly description: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: ColumnTypeName;
    readonly nullable: boolean;
  }[];
  /** Fields in the samples that are not columns. */
  readonly flexibleFields: readonly string[];
  /** At most 5 records with their system fields, as clients read them. */
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number;
}

/** A filter, sort or projection of REST. It is parsed only when the plan is run. */
type Json = Readonly<Record<string, unknown>>;

/** The plan that answers a question (`plan` of the response): one read, or several that are shown in one table. */
export type Plan = Read | SeveralPlan;

/** One read, with the parameters of the REST operation that runs it. */
export type Read = QueryPlan | CountPlan | DistinctPlan | AggregatePlan;

/** The parameters of the operation searchRecords. */
export interface QueryPlan {
  readonly operation: 'query';
  readonly filter?: Json;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly fields?: readonly string[];
  /** Maximum number of records, 1 to 100. */
  readonly limit: number;
  /** With `limit` 1, page 2 has the second largest record, for example. */
  readonly page?: number;
}

/**
 * Several reads that run one after the other, where one read cannot give the answer: groups by month, a part and its
 * whole, comparisons. Each read is a separate plan; their results form one table.
 */
export interface SeveralPlan {
  readonly operation: 'several';
  /** Name of the column with the names of the reads: `month`, `compared`. */
  readonly by: string;
  readonly reads: readonly NamedRead[];
  /** Adds `percent` to each row: its share of the last read, rounded to two decimals; null when that is 0. */
  readonly percent?: true;
  /** Sorts by an output field. By default the rows are in the order of the reads. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

export interface NamedRead {
  readonly name: string;
  readonly plan: CountPlan | AggregatePlan;
}

/** The parameters of the operation countRecords. */
export interface CountPlan {
  readonly operation: 'count';
  readonly filter?: Json;
}

/** The parameters of the operation distinctValues, which returns at most 1,000 values. */
interface DistinctPlan {
  readonly operation: 'distinct';
  readonly field: string;
  readonly filter?: Json;
}

/** The parameters of the operation aggregateRecords. */
export interface AggregatePlan {
  readonly operation: 'aggregate';
  readonly steps: readonly AggregateStep[];
  readonly group_by?: string | readonly string[];
  readonly filter?: Json;
  /** Sorts by grouped and output fields. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  /** Maximum number of groups, 1 to 1,000. By default */
  readonly limit?: number;
  /** A filter over grouped and output fields. */
  readonly having?: Json;
}

export interface AggregateStep {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max';
  /** Required except for `count`, which then counts records. */
  readonly input_field?: string;
  readonly output_field: string;
}

/** The result of a plan: the body of the REST response, or the table of several reads. */
export type PlanData = QueryData | CountData | DistinctData | AggregateData;

interface QueryData {
  /** Number of records in the result, not of matching records. */
  readonly count: number;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export interface CountData {
  readonly count: number;
}

export interface DistinctData {
  readonly field: string;
  readonly count: number;
  readonly values: readonly unknown[];
}

export interface AggregateData {
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Makes the sentence of the answer from the data of the plan as it was run (its limits may have been lowered). Every
 * figure in the sentence comes from the data.
 */
export type Say = (data: PlanData) => string;

/** A plan, or a sentence that explains why the data cannot give an answer. */
export type Planned = { readonly plan: Plan; readonly say: Say } | { readonly refusal: string };

/** What a planner can read while it plans. */
export interface PlanningTools {
  /**
   * Distinct values of a column or field, at most `limit`, with array elements as separate values. Read with the
   * caller's rights, once per field and question. Undefined when reading takes too long.
   */
  knownValues(field: string, limit: number): Promise<readonly unknown[] | undefined>;
  /** The earliest and the latest value of a date field, read with the caller's rights; undefined when there is none. */
  datesOf(field: string): Promise<{ readonly first: string; readonly last: string } | undefined>;
  /** The time of the question. Days are in UTC, like stored date-times. */
  readonly today: Date;
  /** The organization whose budget pays for a language model. */
  readonly orgId: string;
  /** The client that waits for the answer. A call of a language model ends when the client disconnects. */
  readonly caller?: Presence | undefined;
}

/** Turns a question into a plan in our own query language. Reads only through PlanningTools and writes nothing. */
export abstract class QuestionPlanner {
  abstract plan(question: string, outline: CollectionOutline, tools: PlanningTools): Promise<Planned>;

  /**
   * Plans again, given the reason why the first plan could not be run. Absent for planners that would make the same
   * plan again.
   */
  repair?(
    question: string,
    outline: CollectionOutline,
    tools: PlanningTools,
    failed: { readonly plan: Plan; readonly reason: string },
  ): Promise<Planned>;
}
