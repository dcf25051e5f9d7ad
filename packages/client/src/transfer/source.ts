/** A file, its text or bytes, or the pieces of a stream. Objects become lines of NDJSON. */
export type ImportSource =
  | Blob
  | string
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string | object>
  | Iterable<Uint8Array | string | object>;

/** A source that can be read again as a `Blob`; others are returned as they are. */
export function fileOf(source: ImportSource): ImportSource {
  return typeof source === 'string' || source instanceof Uint8Array ? new Blob([source]) : source;
}

/** Browsers send streams over HTTP/2 only, so there a body is a Blob. */
export function canSendStreams(): boolean {
  return !('document' in globalThis || 'importScripts' in globalThis);
}

/** What is told about a source while it is read. */
export interface Reading {
  onBytes(bytes: number): void;
  onError(error: unknown): void;
}

/** The source as a stream of bytes that is read as fast as it is sent. */
export function streamOf(
  source: ImportSource,
  { onBytes, onError }: Reading,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = piecesOf(source);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next().catch(error => {
        onError(error);
        throw error;
      });
      if (done) return controller.close();
      const bytes = value instanceof Uint8Array ? value : encoder.encode(textOf(value));
      onBytes(bytes.byteLength);
      controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
}

function textOf(piece: string | object): string {
  return typeof piece === 'string' ? piece : `${JSON.stringify(piece)}\n`;
}

async function* piecesOf(source: ImportSource): AsyncGenerator<Uint8Array | string | object> {
  const stream = source instanceof Blob ? source.stream() : source;
  if (!(stream instanceof ReadableStream)) return yield* stream as AsyncIterable<object>;
  // Not every browser can iterate a stream.
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
