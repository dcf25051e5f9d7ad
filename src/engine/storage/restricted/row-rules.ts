import type { Queryable } from '../../../platform/database/queryable.js';
import type { Restricted } from '../collection-shape.js';
import { type HeldRules, heldRules, type MatchedRow, RecordRules } from './record-rules.js';
import type { RuledAction } from './refusals.js';

/** A row of a bulk or of a file. */
export interface RuledRow {
  /** The id that it has as a new record. */
  readonly id: string;
  /** Its number for the client. */
  readonly row: number;
  /** The fields that it sends. */
  readonly names: readonly string[];
}

/** A row that the rules of the caller do not allow, or whose key a record has that the caller does not see. */
export interface RefusedRow {
  readonly row: number;
  readonly action: RuledAction | 'unseen';
}

/** The rules of a restricted caller for rows that become records, or change the records that have their keys. */
export class RowRules {
  private readonly rules: RecordRules;
  /** The records that rows change, by the ids of the rows. */
  // biome-ignore lint/plugin/bounded-maps: rows of one statement
  private changed: ReadonlyMap<string, HeldRules> = new Map();

  constructor(private readonly restricted: Restricted) {
    this.rules = new RecordRules(restricted);
  }

  /** Throws 403 `FieldForbidden` for fields that no grant allows to write. */
  refuseUnwritable(names: Iterable<string>): void {
    this.rules.refuseUnwritable(names);
  }

  /** The rows that may not change the records with their keys, which are locked. */
  async before(
    transaction: Queryable,
    rows: readonly RuledRow[],
    matched: readonly MatchedRow[],
  ): Promise<RefusedRow[]> {
    const held = await heldRules(
      transaction,
      this.restricted,
      matched.map(({ id }) => id),
    );
    this.changed = new Map(
      matched.flatMap(({ row, id }) => {
        const rules = held.get(id);
        return rules === undefined ? [] : [[row, rules] as const];
      }),
    );
    return rows.flatMap(({ id, row, names }): RefusedRow[] => {
      const rules = this.changed.get(id);
      if (rules === undefined) return [];
      if (!this.rules.sees(rules)) return [{ row, action: 'unseen' }];
      const may = this.rules.mayUpdate(rules, names) && this.rules.hidden(rules, names).length === 0;
      return may ? [] : [{ row, action: 'update' }];
    });
  }

  /** The rows whose records are not allowed as they were written. A row that was left out has none. */
  async after(transaction: Queryable, rows: readonly RuledRow[]): Promise<RefusedRow[]> {
    const idOf = ({ id }: RuledRow) => this.changed.get(id)?.id ?? id;
    const held = await heldRules(transaction, this.restricted, rows.map(idOf));
    return rows.flatMap((each): RefusedRow[] => {
      const { row, names } = each;
      const [before, after] = [this.changed.get(each.id), held.get(idOf(each))];
      if (after === undefined) return [];
      if (before === undefined) return this.rules.mayCreate(after, names) ? [] : [{ row, action: 'create' }];
      return this.rules.mayBecome(before, after, names) ? [] : [{ row, action: 'becomes' }];
    });
  }
}
