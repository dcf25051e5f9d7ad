// What goes in and what comes out. `src/ai` has the same shapes in its port; the compiler holds the two together.

export type Row = Readonly<Record<string, unknown>>;
/** A filter in the query language of the REST API. */
export type Filter = Row;
export type Sort = Readonly<Record<string, 1 | -1>>;
export type Language = 'en' | 'fr';

/** What is known of a collection before a question is read. */
export interface Schema {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** Fields outside of the columns, as the samples show them. */
  readonly flexibleFields: readonly string[];
  readonly samples: readonly Row[];
}

type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'array' | 'json';

/** What the rules may read while they plan, under the rights of the caller. */
export interface Tools {
  /** The distinct values of a field, array elements one by one. */
  knownValues(field: string, limit: number): Promise<readonly unknown[]>;
  /** The earliest and the latest value of a date; undefined where there is none. */
  datesOf(field: string): Promise<{ readonly first: string; readonly last: string } | undefined>;
  /** The instant of the question. Its days are those of UTC. */
  readonly today: Date;
}

/** One read, in the words of the REST operation that runs it. */
type Read = QueryPlan | CountPlan | AggregatePlan | DistinctPlan;

export interface QueryPlan {
  readonly operation: 'query';
  readonly filter?: Filter;
  readonly sort?: Sort;
  readonly fields?: readonly string[];
  readonly limit: number;
  /** The second largest record is page 2 with a limit of 1. */
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
  /** A filter over the groups and their figures. */
  readonly having?: Filter;
}

export interface Step {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max';
  /** Only `count` goes without a field: it then counts records. */
  readonly input_field?: string;
  readonly output_field: string;
}

/** What several reads of one plan may be. */
export type Counting = CountPlan | AggregatePlan;

/** Several reads that make one table: groups by month, parts and their whole, two things compared. */
export interface SeveralPlan {
  readonly operation: 'several';
  /** The column that names the rows: `month`, `compared`. */
  readonly by: string;
  readonly reads: readonly { readonly name: string; readonly plan: Counting }[];
  /** Each row also has its percentage of the last read. */
  readonly percent?: true;
  readonly sort?: Sort;
}

export type Plan = Read | SeveralPlan;

export type Planned = { readonly plan: Plan } | { readonly refusal: string };
