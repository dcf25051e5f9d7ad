import { type ErrorCode, PlatformError } from '../kernel/errors.js';

/** What is wrong with a row of a file; `column` null: with all of it. */
export interface RowError {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
}

const MAX_TOLD = 100;

/** The rows that cannot be imported: all are counted, the first 100 errors told. */
export class RowErrors {
  private errors: readonly RowError[] = [];
  private lastRow = 0;
  /** Rows with at least one error. */
  rows = 0;
  /** What the first error would be refused with. */
  private code: ErrorCode | undefined;
  private marked: { readonly errors: readonly RowError[]; readonly rows: number } = { errors: [], rows: 0 };

  /** The errors of one row. */
  add(errors: readonly RowError[], code: ErrorCode): void {
    this.code ??= code;
    this.count(1);
    this.tell(errors);
  }

  count(rows: number): void {
    this.rows += rows;
  }

  tell(errors: readonly RowError[]): void {
    if (this.errors.length >= MAX_TOLD && errors.every(({ row }) => row >= this.lastRow)) return;
    this.errors = [...this.errors, ...errors].sort((a, b) => a.row - b.row).slice(0, MAX_TOLD);
    this.lastRow = this.errors.at(-1)?.row ?? 0;
  }

  /** What `rewind` returns to, however often. */
  mark(): void {
    this.marked = { errors: this.errors, rows: this.rows };
  }

  rewind(): void {
    this.errors = this.marked.errors;
    this.rows = this.marked.rows;
    this.lastRow = this.errors.at(-1)?.row ?? 0;
  }

  get told(): readonly RowError[] {
    return this.errors;
  }

  /** The refusal of all, because of these. */
  refusal(): PlatformError {
    const [first] = this.errors;
    const where =
      first && `row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${first.problem}`;
    return new PlatformError(this.code ?? 'BatchRejected', `Nothing was written: ${where}`, this.errors);
  }
}
