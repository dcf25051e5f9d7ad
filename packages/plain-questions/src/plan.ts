// Input and output of the planner, in the words of the REST API.

export type Row = Readonly<Record<string, unknown>>;
/** A filter in the query language of the REST API. */
export type Filter = Row;
export type Sort = Readonly<Record<string, 1 | -1>>;
export type Language = 'en' | 'fr';

/** What is known about a collection before a question is read. */
export interface Schema {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** Fields of the sample records that are not columns. */
  readonly flexibleFields: readonly string[];
  /** A few records with their system fields, as clients read them. */
  readonly samples: readonly Row[];
}

/** The types of a collection's columns. */
export type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'array' | 'json';

/** Reads that the planner can make, with the rights of the caller. */
export interface Tools {
  /** At most `limit` distinct values of a field, with elements of arrays as values. Undefined when reading takes too long. */
  knownValues(field: string, limit: number): Promise<readonly unknown[] | undefined>;
  /** The earliest and the latest value of a date; undefined if there is none. */
  datesOf(field: string): Promise<{ readonly first: string; readonly last: string } | undefined>;
  /** The time of the question. Days are in UTC. */
  readonly today: Date;
}

/** The plan that answers a question (`plan` of the response): one read, or several that are shown in one table. */
export type Plan = Read | SeveralPlan;

/** One read, with the parameters of the REST operation that runs it. */
export type Read = QueryPlan | CountPlan | DistinctPlan | AggregatePlan;

/** The parameters of the operation searchRecords. */
export interface QueryPlan {
  readonly operation: 'query';
  readonly filter?: Filter;
  readonly sort?: Sort;
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
  readonly sort?: Sort;
}

export interface NamedRead {
  readonly name: string;
  readonly plan: Counting;
}

/** The parameters of the operation countRecords. */
export interface CountPlan {
  readonly operation: 'count';
  readonly filter?: Filter;
}

/** The parameters of the operation distinctValues, which returns at most 1,000 values. */
interface DistinctPlan {
  readonly operation: 'distinct';
  readonly field: string;
  readonly filter?: Filter;
}

/** The parameters of the operation aggregateRecords. */
export interface AggregatePlan {
  readonly operation: 'aggregate';
  readonly steps: readonly AggregateStep[];
  readonly group_by?: string | readonly string[];
  readonly filter?: Filter;
  /** Sorts by grouped and output fields. */
  readonly sort?: Sort;
  /** Maximum number of groups, 1 to 1,000. The default is 100. */
  readonly limit?: number;
  /** A filter over grouped and output fields. */
  readonly having?: Filter;
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

/** The reads that a plan with several reads can have. */
export type Counting = CountPlan | AggregatePlan;

/** A plan, or a sentence that explains why the data cannot give an answer. */
export type Planned = { readonly plan: Plan } | { readonly refusal: string };
