/** The type of a message and its length. */
const HEAD_BYTES = 5;
const LENGTH_BYTES = 4;

/** Reads rows as PostgreSQL sends them: messages `DataRow` (protocol 3.0) whose values are texts. */
export class RowReader {
  readonly count: number;
  /** Number of rows whose first value is not null. */
  readonly countOfFirst: number;
  private next = 0;
  private readonly starts: number[] = [];
  /** Undefined for a null. */
  private readonly ends: (number | undefined)[] = [];

  constructor(readonly bytes: Buffer) {
    let [count, countOfFirst] = [0, 0];
    for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
      count += 1;
      if (bytes.readInt32BE(at + HEAD_BYTES + 2) >= 0) countOfFirst += 1;
    }
    this.count = count;
    this.countOfFirst = countOfFirst;
  }

  /** Goes on to the next row. False after the last one. */
  advance(): boolean {
    const { bytes, starts, ends } = this;
    if (this.next >= bytes.length) return false;
    const count = bytes.readUInt16BE(this.next + HEAD_BYTES);
    let at = this.next + HEAD_BYTES + 2;
    for (let field = 0; field < count; field++) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      starts[field] = at;
      ends[field] = length < 0 ? undefined : at + length;
      if (length > 0) at += length;
    }
    this.next = at;
    return true;
  }

  /** Where a value begins in `bytes`. */
  start(field: number): number {
    return this.starts[field] as number;
  }

  /** Where a value ends in `bytes`; undefined for a null. */
  end(field: number): number | undefined {
    return this.ends[field];
  }

  text(field: number): string | null {
    const end = this.end(field);
    return end === undefined ? null : this.bytes.toString('utf8', this.start(field), end);
  }
}
