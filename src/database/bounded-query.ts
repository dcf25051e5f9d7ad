import pg from 'pg';

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][] & {
  /** There are more rows, which were left out because of their length. */
  readonly isCut?: boolean;
};

/** What a statement may bring into memory. */
export interface RowBound {
  /** Rows behind so many bytes are left out; the first one is always there. */
  readonly maxBytes: number;
  /** Asked once, when the rows are longer than `freeBytes`; without its consent the statement is given up. */
  readonly freeBytes: number;
  readonly admit: () => boolean;
}

/** Rows that were taken: all of them, those within the bound, or none because the statement was not admitted. */
export interface BoundedRows {
  readonly rows: Rows;
  /** Rows were left out, and the server may still be sending them: the connection is not to be used again. */
  readonly isCut: boolean;
}

interface DataRow {
  readonly length: number;
  readonly fields: unknown[];
}

/**
 * A statement whose rows are counted as they arrive, so that an answer that is too long is cut off while PostgreSQL sends
 * it, instead of being held in memory first. Costs an addition for each row.
 */
export class BoundedQuery extends pg.Query {
  private bytes = 0;
  private count = 0;
  private isAdmitted = false;
  private isOver = false;

  /** `cut` is called at most once; after it the rows that are still sent are thrown away. */
  constructor(
    config: pg.QueryArrayConfig,
    private readonly bound: RowBound,
    private readonly cut: (taken: BoundedRows) => void,
  ) {
    super(config as pg.QueryConfig);
  }

  /** Called by node-postgres for each row. */
  handleDataRow(message: DataRow): void {
    if (this.isOver) return;
    this.bytes += message.length;
    const { maxBytes, freeBytes, admit } = this.bound;
    if (this.bytes > freeBytes && !this.isAdmitted) this.isAdmitted = admit();
    if (this.bytes > freeBytes && !this.isAdmitted) this.end([]);
    else if (this.bytes > maxBytes && this.count > 0) this.end(this.taken);
    else {
      this.count += 1;
      (pg.Query.prototype as unknown as BoundedQuery).handleDataRow.call(this, message);
    }
  }

  private get taken(): Rows {
    return (this as unknown as { _result: { rows: Rows } })._result.rows;
  }

  private end(rows: Rows): void {
    this.isOver = true;
    this.cut({ rows, isCut: true });
  }
}
