import { sql } from '../../../base/sql/index.js';
import type { CollectionShape, IndexDefinition } from '../collection-shape.js';
import { Stale } from '../stale.js';
import type { Read, Statement } from '../statement.js';
import { childrenOf, type ExplainedStatement, type PlanNode, rowsOf, rowsRead } from './plan-node.js';
import { type PlanStep, planStep } from './plan-step.js';
import { RecordNames } from './record-names.js';

/** How PostgreSQL executed a read of records. All counts but `estimatedRows` are measured. */
export interface MeasuredRead {
  /** True when an index found or ordered records, also the one of their ids. */
  readonly usesIndex: boolean;
  /** The indexes and unique constraints of the collection that were used, each once. */
  readonly indexes: readonly IndexDefinition[];
  /** The rows that the planner expected before the limit of the page. */
  readonly estimatedRows: number;
  /** The rows of the result. */
  readonly returnedRows: number;
  /** The records that the scans for the result returned to the steps above them. */
  readonly matchedRows: number;
  /** The records that the scans for the result read, with those that their filters removed. */
  readonly readRows: number;
  /** As `readRows`, also for the total and for what precedes the page. */
  readonly scannedRows: number;
  /** Planning and execution. */
  readonly durationMs: number;
  readonly plan: PlanStep;
}

/** The statement that executes a read and returns how it was executed. */
export function explained(shape: CollectionShape, statement: Statement): Read<MeasuredRead> {
  return {
    ...statement,
    query: sql`EXPLAIN (ANALYZE, FORMAT JSON, BUFFERS off) ${statement.query}`,
    decode: ([row]) => measuredRead(shape, row?.[0]),
  };
}

/** Throws `Stale` when the version check failed. */
function measuredRead(shape: CollectionShape, value: unknown): MeasuredRead {
  const [statement] = value as [ExplainedStatement];
  const { Plan: root } = statement;
  if (rowsOf(root) === 0) throw new Stale();
  const names = new RecordNames(shape);
  // The version check is on the outer side, the read on the inner side. Without a join, it is a count, or no record could
  // match.
  const whole = localRoot(root);
  const main = childrenOf(whole).find(node => node['Parent Relationship'] === 'Inner');
  const others = childrenOf(whole).filter(node => node['Parent Relationship'] === 'InitPlan');
  const scans = (main === undefined ? others : [main]).flatMap(node => scansBelow(node, names));
  const allScans =
    main === undefined ? scans : [...scans, ...others.flatMap(node => scansBelow(node, names))];
  const searched = [main, ...others].flatMap(node => (node === undefined ? [] : indexScansBelow(node)));
  return {
    usesIndex: searched.length > 0,
    indexes: distinct(searched.flatMap(node => names.index(node) ?? [])),
    estimatedRows: main === undefined ? 0 : estimateOf(main, names),
    returnedRows: main === undefined ? 0 : rowsOf(main),
    matchedRows: total(scans, rowsOf),
    readRows: total(scans, rowsRead),
    scannedRows: total(allScans, rowsRead),
    durationMs: (statement['Planning Time'] ?? 0) + (statement['Execution Time'] ?? 0),
    plan: planStep(main, others, names),
  };
}

/** On Citus the statement is executed as a whole on the node that has the records. */
function localRoot(root: PlanNode): PlanNode {
  const [only, ...others] = childrenOf(root);
  return root['Distributed Query'] !== undefined && only !== undefined && others.length === 0 ? only : root;
}

/** Index searches find rows for the bitmap scan above them, which reads the table. */
function indexScansBelow(node: PlanNode): PlanNode[] {
  const below = childrenOf(node).flatMap(indexScansBelow);
  return node['Index Name'] === undefined || node['Actual Loops'] === 0 ? below : [node, ...below];
}

function scansBelow(node: PlanNode, names: RecordNames): PlanNode[] {
  const below = childrenOf(node).flatMap(child => scansBelow(child, names));
  return names.isScan(node) ? [node, ...below] : below;
}

/** Steps that return the rows of the step below them, or the first of them. */
const SAME_ROWS = new Set(['Limit', 'Result', 'Subquery Scan', 'Sort', 'Incremental Sort', 'Nested Loop']);

function estimateOf(node: PlanNode, names: RecordNames): number {
  const next = childrenOf(node).find(child => scansBelow(child, names).length > 0);
  return SAME_ROWS.has(node['Node Type']) && next !== undefined
    ? estimateOf(next, names)
    : Math.round(node['Plan Rows']);
}

function total(nodes: readonly PlanNode[], count: (node: PlanNode) => number): number {
  return nodes.reduce((sum, node) => sum + count(node), 0);
}

function distinct(indexes: readonly IndexDefinition[]): IndexDefinition[] {
  return [...new Map(indexes.map(index => [JSON.stringify(index), index])).values()];
}
