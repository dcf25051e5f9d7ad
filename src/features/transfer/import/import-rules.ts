import { PlatformError } from '../../../base/kernel/errors.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import {
  type StagedNames,
  type StagedRange,
  stagedKeys,
  stagedNamesStatement,
} from '../../../engine/storage/copy/copy-stage.js';
import { type MatchedRow, matchedRowsStatement } from '../../../engine/storage/restricted/record-rules.js';
import { ruleRefused } from '../../../engine/storage/restricted/refusals.js';
import { type RefusedRow, RowRules, type RuledRow } from '../../../engine/storage/restricted/row-rules.js';
import { columnsOf } from '../../../engine/storage/table-sql.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { MAX_REPORTED, type RowError } from './import-answer.js';

/** The rules of a restricted caller for a range of staged rows. */
export class ImportRules {
  private constructor(
    private readonly rules: RowRules,
    private readonly rows: readonly RuledRow[],
    private readonly key: string | undefined,
  ) {}

  /** Undefined for a caller without restrictions. Throws `RowsRefused` for rows that may not change their records, and 403 `FieldForbidden`. */
  static async begin(
    session: Queryable,
    collection: CollectionShape,
    range: StagedRange,
    key: string | undefined,
  ): Promise<ImportRules | undefined> {
    const { restricted } = collection;
    if (restricted === undefined) return undefined;
    const staged: StagedNames[] = await execute(session, stagedNamesStatement(range));
    const declared = new Map(columnsOf(collection).map(({ physical, name }) => [physical, name]));
    const rows = staged.map(({ id, row, columns, flexible }) => ({
      id,
      row,
      names: [...columns.flatMap(physical => declared.get(physical) ?? []), ...flexible],
    }));
    const made = new ImportRules(new RowRules(restricted), rows, key);
    made.rules.refuseUnwritable(rows.flatMap(({ names }) => names));
    const matched: MatchedRow[] =
      key === undefined
        ? []
        : await execute(session, matchedRowsStatement(collection, stagedKeys(collection, range), key));
    refuse(await made.rules.before(session, rows, matched), key);
    return made;
  }

  /** Throws `RowsRefused` for rows whose records the rules do not allow as they were written. */
  async check(session: Queryable): Promise<void> {
    refuse(await this.rules.after(session, this.rows), this.key);
  }
}

function refuse(refused: readonly RefusedRow[], key: string | undefined): void {
  if (refused.length > 0) throw new RowsRefused(refused, key);
}

/** Rows of an import that the rules of the caller do not allow. */
export class RowsRefused extends Error {
  constructor(
    private readonly refused: readonly RefusedRow[],
    private readonly key: string | undefined,
  ) {
    super('rules do not allow rows');
  }

  problems(): RowError[] {
    return this.refused.map(({ row }) => this.problemOf(row));
  }

  /** The problem of one row. A key that a record has which the caller does not see is a repeated unique value. */
  problemOf(row: number): RowError {
    const found = this.refused.find(each => each.row === row);
    if (found?.action === 'unseen')
      return { row, column: this.key ?? null, problem: `${this.key} must be unique` };
    return { row, column: null, problem: `the rules of your access do not allow it (${found?.action})` };
  }

  /** The refusal of the whole import. */
  refusal(): PlatformError {
    const rows = this.refused.flatMap(({ row, action }) => (action === 'unseen' ? [] : [{ row, action }]));
    const [first] = rows;
    if (first !== undefined) return ruleRefused(first.action, rows.slice(0, MAX_REPORTED));
    const problems = this.problems().slice(0, MAX_REPORTED);
    return new PlatformError(
      'ConstraintViolation',
      `Nothing was written: row ${problems[0]?.row}: ${this.key} must be unique.`,
      problems,
    );
  }
}
