import { childrenOf, type PlanNode, rowsOf } from './plan-node.js';
import type { RecordNames } from './record-names.js';

/** A step of a read in plain words. Names of tables, columns of tables and SQL never appear in it. */
export interface PlanStep {
  readonly step: string;
  /** The rows that the step returned. */
  readonly rows: number;
  /** Its time with the steps below it. */
  readonly ms: number;
  readonly children: readonly PlanStep[];
}

/** What nodes do that only arrange rows; other nodes are described by `scanText`. */
const STEPS: Readonly<Record<string, string>> = {
  Limit: 'take the first rows',
  Sort: 'sort',
  'Incremental Sort': 'sort rows that are equal in the order of the index',
  Gather: 'collect the rows of several processes',
  'Gather Merge': 'collect the sorted rows of several processes',
  Unique: 'remove repeated rows',
  WindowAgg: 'compute over neighbouring rows',
  BitmapAnd: 'keep the places that all searches found',
  BitmapOr: 'join the places that the searches found',
};

/** The steps of a read: `main` finds the rows, `others` find what else the answer needs. */
export function planStep(
  main: PlanNode | undefined,
  others: readonly PlanNode[],
  names: RecordNames,
): PlanStep {
  const steps = [...(main === undefined ? [] : [main]), ...others].flatMap(node => stepsOf(node, names, 1));
  const [only, ...rest] = steps;
  if (only === undefined)
    return { step: 'answer without reading records, because none can match', rows: 0, ms: 0, children: [] };
  if (rest.length === 0) return only;
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  return { step: 'put the answer together', rows: only.rows, ms: rounded(ms), children: steps };
}

/**
 * The steps of a node that reads records itself or below it. A node that only passes on the rows of one child is left
 * out. `processes` is how many processes executed the node at the same time.
 */
function stepsOf(node: PlanNode, names: RecordNames, processes: number): PlanStep[] {
  const inside = 'Workers Launched' in node ? (node['Workers Launched'] as number) + 1 : processes;
  const children = childrenOf(node)
    .filter(child => child['Parent Relationship'] !== 'SubPlan')
    .flatMap(child => stepsOf(child, names, inside));
  const isSearch = node['Index Name'] !== undefined;
  if (!names.isScan(node) && !isSearch && children.length === 0) return [];
  const text = textOf(node, names, children.length);
  if (text === undefined) return children;
  const ms = ((node['Actual Total Time'] ?? 0) * node['Actual Loops']) / processes;
  return [{ step: text, rows: rowsOf(node), ms: rounded(ms), children }];
}

function textOf(node: PlanNode, names: RecordNames, children: number): string | undefined {
  const type = node['Node Type'];
  if (names.isScan(node) || node['Index Name'] !== undefined) return scanText(node, names);
  if (type === 'Aggregate') return node.Strategy === 'Plain' ? 'compute the figures' : 'group';
  return STEPS[type] ?? (children > 1 ? 'combine' : undefined);
}

function scanText(node: PlanNode, names: RecordNames): string {
  const rest = node.Filter === undefined ? '' : ', keep those that match';
  const index = indexText(node, names);
  switch (node['Node Type']) {
    case 'Bitmap Index Scan':
      return `search ${index}`;
    case 'Bitmap Heap Scan':
      return `read the records that were found${rest}`;
    case 'Index Only Scan':
    case 'Index Scan':
      if (node['Index Cond'] === undefined) return `read all records in the order of ${index}${rest}`;
      return `find records by ${index}${rest}`;
    default:
      return `read all records${rest}`;
  }
}

function indexText(node: PlanNode, names: RecordNames): string {
  const index = names.index(node);
  if (index !== undefined)
    return `the ${index.kind === 'search' ? 'search index' : 'index'} on ${index.properties.join(', ')}`;
  return names.isPrimaryKey(node) ? 'their ids' : 'their time of expiry';
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
