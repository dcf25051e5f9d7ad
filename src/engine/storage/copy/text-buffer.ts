const FIRST_BYTES = 64 * 1024;
/** UTF-8 has at most so many bytes for a code unit. */
const MAX_BYTES = 3;

/** Collects UTF-8 text. Writers of single bytes `reserve` room, write to `bytes` from `length` on, and set `length`. */
export class TextBuffer {
  bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  length = 0;

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  text(value: string): void {
    this.reserve(MAX_BYTES * value.length);
    this.length += this.bytes.write(value, this.length);
  }

  copy(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.bytes, this.length, start, end);
  }

  /** The text so far, which later writes do not change. The next text probably has a similar length. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(Math.max(FIRST_BYTES, Math.ceil(1.1 * this.length)));
    this.length = 0;
    return taken;
  }
}
