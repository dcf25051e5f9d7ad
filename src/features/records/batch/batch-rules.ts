import { isJsonObject } from '../../../base/kernel/json.js';
import type { Restricted } from '../../../engine/storage/collection-shape.js';
import { layoutOf } from '../../../engine/storage/records/record-layout.js';
import { type HeldRules, heldRules, RecordRules } from '../../../engine/storage/restricted/record-rules.js';
import {
  fieldForbidden,
  type RuledAction,
  ruleRefused,
} from '../../../engine/storage/restricted/refusals.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import type { BoundCollection } from '../../collections/collection.entity.js';
import { namesOf } from '../update-records.service.js';
import type { BatchOperation } from './batch-operations.js';
import type { BatchPlan } from './batch-plan.js';

/** Maximum number of operations in one refusal. */
const MAX_REPORTED = 100;

/** The rules of a restricted caller for a batch: about its records before they are written, and after. */
export class BatchRules {
  private readonly rules: RecordRules;
  // biome-ignore lint/plugin/bounded-maps: operations of a batch
  private before: ReadonlyMap<string, HeldRules> = new Map();

  private constructor(
    private readonly restricted: Restricted,
    /** The fields that each operation names. */
    private readonly names: readonly (readonly string[])[],
  ) {
    this.rules = new RecordRules(restricted);
  }

  /** Undefined for a caller without restrictions. Throws 403 `FieldForbidden`. */
  static of(collection: BoundCollection, operations: readonly BatchOperation[]): BatchRules | undefined {
    const { restricted } = collection;
    if (restricted === undefined) return undefined;
    const layout = layoutOf(collection);
    const names = operations.map(operation => {
      if (operation.kind === 'update') return namesOf(operation.update, layout);
      if (operation.kind === 'delete' || !isJsonObject(operation.record)) return [];
      return Object.keys(operation.record).filter(name => !layout.ignored.has(name));
    });
    const made = new BatchRules(restricted, names);
    made.rules.refuseUnwritable(names.flat());
    return made;
  }

  /**
   * Decides about the records that the batch names, which are locked, and returns the ids of those that the caller sees.
   * Throws 403 `RuleRefused` or `FieldForbidden` when it may not write one of them in this way.
   */
  async seenOf(transaction: Queryable, named: BatchPlan['named']): Promise<ReadonlySet<string>> {
    this.before = await heldRules(
      transaction,
      this.restricted,
      named.map(({ operation }) => operation.id),
    );
    const seen = new Map([...this.before].filter(([, held]) => this.rules.sees(held)));
    const refused = named.flatMap(({ index, operation: { kind, id } }) => {
      const held = seen.get(id);
      if (held === undefined) return [];
      const may = kind === 'delete' ? this.rules.mayDelete(held) : this.mayUpdate(held, index);
      return may ? [] : [{ index, action: kind }];
    });
    refuseAll(refused);
    const hidden = named.flatMap(({ index, operation: { id } }) => {
      const held = seen.get(id);
      return held === undefined ? [] : this.rules.hidden(held, this.names[index] ?? []);
    });
    if (hidden.length > 0) throw fieldForbidden(hidden);
    return new Set(seen.keys());
  }

  /** Throws 403 `RuleRefused` when the rules do not allow a record as the batch has written it. */
  async check(transaction: Queryable, { inserts, updates }: BatchPlan): Promise<void> {
    const ids = [...inserts.map(({ row }) => row._id as string), ...updates.map(({ id }) => id)];
    if (ids.length === 0) return;
    const after = await heldRules(transaction, this.restricted, ids);
    const created = inserts.flatMap(({ index, row }) => {
      const held = after.get(row._id as string);
      const may = held !== undefined && this.rules.mayCreate(held, this.names[index] ?? []);
      return may ? [] : [{ index, action: 'create' as const }];
    });
    const updated = updates.flatMap(({ index, id }) => {
      const [before, held] = [this.before.get(id), after.get(id)];
      const may = before && held && this.rules.mayBecome(before, held, this.names[index] ?? []);
      return may ? [] : [{ index, action: 'becomes' as const }];
    });
    refuseAll([...created, ...updated].sort((a, b) => a.index - b.index));
  }

  private mayUpdate(held: HeldRules, index: number): boolean {
    return this.rules.mayUpdate(held, this.names[index] ?? []);
  }
}

function refuseAll(refused: readonly { readonly index: number; readonly action: RuledAction }[]): void {
  const [first] = refused;
  if (first !== undefined) throw ruleRefused(first.action, refused.slice(0, MAX_REPORTED)).proven();
}
