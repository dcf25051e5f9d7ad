/** One node of the JSON that PostgreSQL returns for EXPLAIN (ANALYZE, FORMAT JSON): the parts that are read here. */
export interface PlanNode {
  readonly 'Node Type': string;
  /** How the parent uses the node: `Outer`, `Inner`, `Subquery`, `Member`, `InitPlan`, `SubPlan`. */
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  /** Of an aggregate: `Plain`, `Hashed`, `Sorted`, `Mixed`. */
  readonly Strategy?: string;
  readonly 'Plan Rows': number;
  /** The mean of all loops. */
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  /** Milliseconds until the last row, with the children; the mean of all loops. Absent without timing. */
  readonly 'Actual Total Time'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Workers Launched'?: number;
  readonly Plans?: readonly PlanNode[];
  /** On Citus: the plans of the nodes that have the data. */
  readonly 'Distributed Query'?: {
    readonly Job?: { readonly Tasks?: readonly { readonly 'Remote Plan'?: unknown }[] };
  };
}

/** The plan of a whole statement. */
export interface ExplainedStatement {
  readonly Plan: PlanNode;
  readonly 'Planning Time'?: number;
  readonly 'Execution Time'?: number;
}

/** The nodes below a node, with those that another server of Citus has executed. */
export function childrenOf(node: PlanNode): readonly PlanNode[] {
  const tasks = node['Distributed Query']?.Job?.Tasks ?? [];
  return [...(node.Plans ?? []), ...tasks.flatMap(task => remotePlans(task['Remote Plan']))];
}

function remotePlans(value: unknown): PlanNode[] {
  if (Array.isArray(value)) return value.flatMap(remotePlans);
  const plan = (value as Partial<ExplainedStatement> | null | undefined)?.Plan;
  return plan === undefined ? [] : [plan];
}

/** The rows that a node returned in all its loops. */
export function rowsOf(node: PlanNode): number {
  return Math.round(node['Actual Rows'] * node['Actual Loops']);
}

/** The rows that a node returned or removed. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}
