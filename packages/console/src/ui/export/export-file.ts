export type Format = 'csv' | 'ndjson' | 'json';

export interface Progress {
  /** Records written so far. */
  readonly rows: number;
  /** Bytes written so far. */
  readonly bytes: number;
}

/** Where a file goes, piece by piece. */
interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** Nothing of the file is kept. */
  abort(): Promise<void>;
}

const [QUOTE, LINE_END] = [0x22, 0x0a];
/** Lines that are not records: the header of CSV, the brackets of a JSON list. */
const OTHER_LINES = { csv: 1, ndjson: 0, json: 2 };

/** Writes a file of the service into a sink and counts its records. After a failure nothing of the file is kept. */
export async function exportFile(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  format: Format,
  sink: Sink,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  let lines = 0;
  let bytes = 0;
  let isQuoted = false;
  const progress = () => ({ rows: Math.max(0, lines - OTHER_LINES[format]), bytes });
  const reader = source.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const byte of next.value) {
        // JSON has no line end in a text.
        if (byte === QUOTE) isQuoted = format === 'csv' && !isQuoted;
        else if (byte === LINE_END && !isQuoted) lines += 1;
      }
      bytes += next.value.byteLength;
      await sink.write(next.value);
      onProgress(progress());
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    await sink.abort();
    throw error;
  }
  await sink.close();
  return progress();
}

const MEGABYTE = 1024 * 1024;
/** The most that a browser without access to files keeps in memory. */
export const MEMORY_LIMIT = 512 * MEGABYTE;

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

/** A file that is larger than `MEMORY_LIMIT`. */
export class TooLarge extends Error {}

/** The part of the File System Access API that is used. Chrome and Edge have it. */
interface FilePicker {
  showSaveFilePicker?(options: object): Promise<FileSystemFileHandle>;
}

export function canWriteFiles(): boolean {
  return (window as FilePicker).showSaveFilePicker !== undefined;
}

/**
 * Asks where to write the file and writes it as it comes. Without access to files the browser downloads it when it is
 * complete. Must be called while a click is handled. Throws an `AbortError` if the person chooses no file.
 */
export async function openSink(name: string, format: Format): Promise<Sink> {
  const picker = window as FilePicker;
  const fileName = `${name}.${format}`;
  if (picker.showSaveFilePicker === undefined) return memorySink(fileName, TYPES[format]);
  const handle = await picker.showSaveFilePicker({
    suggestedName: fileName,
    types: [{ accept: { [TYPES[format]]: [`.${format}`] } }],
  });
  const file = await handle.createWritable();
  return {
    write: bytes => file.write(bytes),
    close: () => file.close(),
    // What was written is dropped: the file becomes what it was before.
    abort: () => file.abort().catch(() => undefined),
  };
}

function memorySink(name: string, type: string): Sink {
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    async write(piece) {
      bytes += piece.byteLength;
      if (bytes > MEMORY_LIMIT) throw new TooLarge();
      pieces.push(piece);
    },
    async close() {
      download(name, new Blob(pieces, { type }));
      pieces = [];
    },
    async abort() {
      pieces = [];
    },
  };
}

/** Downloads a file that is complete. */
export function download(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  // The download reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
