import { SafeCsv } from './safe-csv.js';

export type Format = 'csv' | 'ndjson' | 'json';

export interface Progress {
  /** Records written so far. */
  readonly rows: number;
  /** Bytes written so far. */
  readonly bytes: number;
}

/** Where a file goes, piece by piece. */
export interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** Nothing of the file is kept. */
  abort(): Promise<void>;
}

/** Changes the text of a file on its way, and counts its records. */
interface Shaper {
  push(text: string): string;
  end(): string;
  rows(): number;
}

/**
 * Writes a file of the service into a sink: CSV, guarded against formulas unless `keepsFormulas`, or NDJSON, as it is or
 * as one JSON array. Throws what the source throws; then nothing of the file is kept.
 */
export async function exportFile(
  source: ReadableStream<Uint8Array>,
  format: Format,
  sink: Sink,
  options: { readonly keepsFormulas?: boolean; readonly onProgress?: (progress: Progress) => void },
): Promise<Progress> {
  const shaper = shaperOf(format, options.keepsFormulas ?? false);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let bytes = 0;
  const write = async (text: string) => {
    const encoded = encoder.encode(text);
    bytes += encoded.byteLength;
    if (encoded.byteLength > 0) await sink.write(encoded);
    options.onProgress?.({ rows: shaper.rows(), bytes });
  };
  const reader = source.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await write(shaper.push(decoder.decode(next.value, { stream: true })));
    }
    await write(shaper.push(decoder.decode()) + shaper.end());
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    await sink.abort();
    throw error;
  }
  await sink.close();
  return { rows: shaper.rows(), bytes };
}

function shaperOf(format: Format, keepsFormulas: boolean): Shaper {
  if (format === 'csv') return keepsFormulas ? new CountedCsv() : new GuardedCsv();
  return format === 'json' ? new JsonArray() : new Lines();
}

class GuardedCsv implements Shaper {
  private readonly csv = new SafeCsv();
  push = (text: string) => this.csv.push(text);
  end = () => this.csv.end();
  /** Without the header. */
  rows = () => Math.max(0, this.csv.lines - 1);
}

class CountedCsv implements Shaper {
  private readonly csv = new SafeCsv();
  push = (text: string) => {
    this.csv.push(text);
    return text;
  };
  end = () => {
    this.csv.end();
    return '';
  };
  rows = () => Math.max(0, this.csv.lines - 1);
}

class Lines implements Shaper {
  private count = 0;
  push = (text: string) => {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.count += 1;
    return text;
  };
  end = () => '';
  rows = () => this.count;
}

/** Lines of NDJSON as the items of one array. A record has no line break in it. */
class JsonArray implements Shaper {
  private count = 0;
  /** A line without its end. */
  private open = '';
  push = (text: string) => {
    const lines = (this.open + text).split('\n');
    this.open = lines.pop() as string;
    let written = '';
    for (const line of lines) {
      written += `${this.count === 0 ? '[\n' : ',\n'}${line}`;
      this.count += 1;
    }
    return written;
  };
  end = () => (this.count === 0 ? '[]\n' : '\n]\n');
  rows = () => this.count;
}
