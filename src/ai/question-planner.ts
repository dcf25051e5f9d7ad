import type { ColumnTypeName } from '../columns/index.js';

/** All that a planner is told of a collection: its schema, a few records and how many there are. */
export interface CollectionSight {
  readonly name: string;
  readonly description: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: ColumnTypeName;
    readonly nullable: boolean;
  }[];
  /** Fields that are no column, as the samples show them. */
  readonly flexibleFields: readonly string[];
  /** At most 5 records with their system fields, as a client reads them. */
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number;
}

/** A filter, sort or projection as REST takes it. It is only parsed when the plan is run. */
type Json = Readonly<Record<string, unknown>>;

/** What answers a question (`plan` of the answer): one read, or several whose figures are told side by side. */
export type Plan = Read | SeveralPlan;

/** One read, in the words of the REST operation that runs it. */
export type Read = QueryPlan | CountPlan | DistinctPlan | AggregatePlan;

/** searchRecords */
export interface QueryPlan {
  readonly operation: 'query';
  readonly filter?: Json;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly fields?: readonly string[];
  /** 1 to 100. */
  readonly limit: number;
  /** The second largest is page 2 of 1. */
  readonly page?: number;
}

/**
 * Reads that are run one after the other, because one cannot tell them all: groups by month, parts and their whole,
 * things compared. Each is a plan of its own; the results of all make one table.
 */
export interface SeveralPlan {
  readonly operation: 'several';
  /** What the column of names is called: `month`, `compared`. */
  readonly by: string;
  readonly reads: readonly NamedRead[];
  /** Each row also has its `percent` of the last read, the whole, to two decimals; null where the whole is 0. */
  readonly percent?: true;
  /** By an output field; without one, in the order of the reads. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

export interface NamedRead {
  readonly name: string;
  readonly plan: CountPlan | AggregatePlan;
}

/** countRecords */
export interface CountPlan {
  readonly operation: 'count';
  readonly filter?: Json;
}

/** distinctValues: at most 1,000 values. */
interface DistinctPlan {
  readonly operation: 'distinct';
  readonly field: string;
  readonly filter?: Json;
}

/** aggregateRecords */
export interface AggregatePlan {
  readonly operation: 'aggregate';
  readonly steps: readonly AggregateStep[];
  readonly group_by?: string | readonly string[];
  readonly filter?: Json;
  /** By grouped and output fields. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  /** 1 to 1,000; without one, at most 1,000 groups. */
  readonly limit?: number;
  /** A filter over grouped and output fields. */
  readonly having?: Json;
}

export interface AggregateStep {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max';
  /** Only `count` may go without: it then counts records. */
  readonly input_field?: string;
  readonly output_field: string;
}

/** What running a plan gave: the body of the REST answer, or the table of several. */
export type PlanData = QueryData | CountData | DistinctData | AggregateData;

interface QueryData {
  /** Records shown, not records that match. */
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
 * The sentence of the answer, made of the data of the plan as it was run (its limits may have been lowered). Every
 * figure in it comes from the data.
 */
export type Say = (data: PlanData) => string;

/** A way to the answer, or a sentence that says why the data cannot give one. */
export type Planned = { readonly plan: Plan; readonly say: Say } | { readonly refusal: string };

/** What a planner may ask for while it plans. */
export interface PlanningTools {
  /**
   * Distinct values of a column or field, at most `limit`; array elements one by one. Read under the caller's rights,
   * once per field and question. Empty where they took too long to read.
   */
  knownValues(field: string, limit: number): Promise<readonly unknown[]>;
  /** The earliest and the latest value of a date, read under the caller's rights; undefined where there is none. */
  datesOf(field: string): Promise<{ readonly first: string; readonly last: string } | undefined>;
  /** The instant of the question; its days are those of UTC, as the stored instants are. */
  readonly today: Date;
  /** Whose budget pays for a language model, where one is asked. */
  readonly orgId: string;
}

/** Turns a question into a plan in our own query language. It reads nothing and writes nothing by itself. */
export abstract class QuestionPlanner {
  abstract plan(question: string, sight: CollectionSight, tools: PlanningTools): Promise<Planned>;

  /** A second try, told why the first plan could not be run. A planner that would only plan the same again has none. */
  repair?(
    question: string,
    sight: CollectionSight,
    tools: PlanningTools,
    failed: { readonly plan: Plan; readonly reason: string },
  ): Promise<Planned>;
}
