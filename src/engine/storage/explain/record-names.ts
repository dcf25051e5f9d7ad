import { collectionTable } from '../../../platform/database/org-schema.js';
import type { CollectionShape, IndexDefinition } from '../collection-shape.js';
import { indexNamed, nameWithoutShard } from '../table/index-names.js';
import type { PlanNode } from './plan-node.js';

/** Which nodes read the records of a collection, and which of its indexes they use. */
export class RecordNames {
  private readonly table: string;

  constructor(private readonly shape: CollectionShape) {
    this.table = collectionTable(shape.id);
  }

  /** True for a node that reads records from their table. On Citus a number follows the name of the table. */
  isScan(node: PlanNode): boolean {
    const name = node['Relation Name'];
    return name === this.table || (name?.startsWith(`${this.table}_`) ?? false);
  }

  /** The index or unique constraint that a node uses; undefined for other indexes of the table. */
  index(node: PlanNode): IndexDefinition | undefined {
    const name = node['Index Name'];
    return name === undefined ? undefined : indexNamed(this.shape, nameWithoutShard(name));
  }

  /** True for the index of the primary key. */
  isPrimaryKey(node: PlanNode): boolean {
    return node['Index Name']?.includes('_pkey') ?? false;
  }
}
