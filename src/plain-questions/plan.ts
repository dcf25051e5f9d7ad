// Input and output of the planner. `src/features/ai` declares the same types in its port; the compiler checks that they are
// compatible.

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
  readonly samples: readonly Row[];
}

type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'array' | 'json';

/** Reads that the planner can make, with the rights of the caller. */
export interface Tools {
  /** The distinct values of a field. Elements of arrays count as values. Undefined if reading them takes too long. */
  knownValues(field: string, limit: number): Promise<readonly unknown[] | undefined>;
  /** The earliest and the latest value of a date; undefined if there is none. */
  datesOf(field: string): Promise<{ readonly first: string; readonly last: string } | undefined>;
  /** The time of the question. Days are in UTC. */
  readonly today: Date;
}

/** One read, in the form of the REST operation that runs it. */
type Read = QueryPlan | CountPlan | AggregatePlan | DistinctPlan;

export interface QueryPlan {
  readonly operation: 'query';
  readonly filter?: Filter;
  readonly sort?: Sort;
  readonly fields?: readonly string[];
  readonly limit: number;
  /** For example, the second largest record is page 2 with a limit of 1. */
  readonly page?: number;
}

interface CountPlan {
  readonly operation: 'count';
  readonly filter?: Filter;
}

interface DistinctPlan {
  readonly operation: 'distinct';
  readonly field: string;
  readonly filter?: Filter;
}

export interface AggregatePlan {
  readonly operation: 'aggregate';
  readonly steps: readonly Step[];
  readonly group_by?: string | readonly string[];
  readonly filter?: Filter;
  readonly sort?: Sort;
  readonly limit?: number;
  /** A filter on the groups and their figures. */
  readonly having?: Filter;
}

export interface Step {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max';
  /** Only `count` can be without a field; it then counts records. */
  readonly input_field?: string;
  readonly output_field: string;
}

/** The reads that a plan with several reads can have. */
export type Counting = CountPlan | AggregatePlan;

/** Several reads whose results form one table: groups by month, parts and their whole, or a comparison. */
export interface SeveralPlan {
  readonly operation: 'several';
  /** The column that names the rows: `month`, `compared`. */
  readonly by: string;
  readonly reads: readonly { readonly name: string; readonly plan: Counting }[];
  /** true: each row also has its percentage of the result of the last read. */
  readonly percent?: true;
  readonly sort?: Sort;
}

export type Plan = Read | SeveralPlan;

export type Planned = { readonly plan: Plan } | { readonly refusal: string };
