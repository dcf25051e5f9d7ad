const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];
const SEPARATORS = new Set([0x2c, 0x3b, 0x09, 0x7c]);
/** Enough for most headers. */
const HEADER_BYTES = 1024;

/** A part of a file that begins and ends between two rows. */
export interface Slice {
  /** Position of its first byte. */
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a file into slices of about so many bytes, between rows: a line break inside a quoted CSV field does not end a
 * row.
 */
export async function* slicesOf(
  file: Blob,
  { size, start, isCsv }: { readonly size: number; readonly start: number; readonly isCsv: boolean },
): AsyncGenerator<Slice, void, undefined> {
  for (let from = start; from < file.size; ) {
    const end = await endOfRows(file, from, size, isCsv);
    yield { start: from, end };
    from = end;
  }
}

/** The end of the CSV header: of the first row, or of the second one after a line such as `sep=;`. */
export async function endOfHeader(file: Blob): Promise<number> {
  for (let length = HEADER_BYTES; ; length *= 2) {
    const bytes = new Uint8Array(await file.slice(0, length).arrayBuffer());
    const isSecond = /^"?sep=.?"?[\r\n]/i.test(new TextDecoder().decode(bytes.subarray(0, 12)));
    const [first, second] = rowEnds(bytes);
    const end = isSecond ? second : first;
    if (end !== undefined) return end;
    if (length >= file.size) return file.size;
  }
}

/** The end of the last row that ends within `size` bytes; of the first row if it is longer. */
async function endOfRows(file: Blob, from: number, size: number, isCsv: boolean): Promise<number> {
  for (let length = Math.max(size, 1); ; length *= 2) {
    if (from + length >= file.size) return file.size;
    const bytes = new Uint8Array(await file.slice(from, from + length).arrayBuffer());
    const end = isCsv ? lastOf(rowEnds(bytes)) : bytes.lastIndexOf(LF) + 1;
    if (end > 0) return from + end;
  }
}

/** The last number; 0 if there is none. */
function lastOf(numbers: Iterable<number>): number {
  let last = 0;
  for (const each of numbers) last = each;
  return last;
}

/** The ends of the complete CSV rows. A quote opens a field only at its beginning. */
function* rowEnds(bytes: Uint8Array): Generator<number, void, undefined> {
  let isQuoted = false;
  let isBegin = true;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (isQuoted) {
      // Of a doubled quote, the first one closes the field and the second one opens it again.
      isQuoted = byte !== QUOTE;
      isBegin = !isQuoted;
      continue;
    }
    isQuoted = byte === QUOTE && isBegin;
    isBegin = byte === LF || byte === CR || SEPARATORS.has(byte);
    if (byte === LF) yield at + 1;
  }
}
