import type { Plan, Say, Schema, Tools } from '@typed-collections/plain-questions';
import type { Presence } from '../../base/kernel/bounds/deadline.js';

/** What a planner knows about a collection: its schema, at most 5 records and their total number. */
export interface CollectionOutline extends Schema {
  readonly description: string | null;
  readonly columns: readonly (Schema['columns'][number] & { readonly nullable: boolean })[];
  readonly rowCount: number;
}

/** A plan, or a sentence that explains why the data cannot give an answer. */
export type Planned = { readonly plan: Plan; readonly say: Say } | { readonly refusal: string };

/** What a planner can read while it plans, with the rights of the caller. */
export interface PlanningTools extends Tools {
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
