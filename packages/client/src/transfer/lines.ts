import { lost } from '../transport/http-transport.js';
import type { ApiRequest } from '../transport/transport.js';

/** The bytes of a response. Reads the connection only when the next piece is asked for. */
export async function* bytesOf(
  request: ApiRequest,
  response: Response,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw lost(request, cause);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Text that arrives in pieces, as complete lines. Each piece is searched once, however long a line becomes. */
export class LineBuffer {
  private rest: string[] = [];

  constructor(private readonly end: string | RegExp) {}

  /** The lines that this piece completes. */
  *push(piece: string): Generator<string, void, undefined> {
    const parts = piece.split(this.end);
    const last = parts.pop() as string;
    for (const part of parts) {
      const line = this.rest.length === 0 ? part : this.rest.join('') + part;
      this.rest = [];
      yield line;
    }
    if (last !== '') this.rest.push(last);
  }

  /** What follows the last line end. */
  remainder(): string {
    return this.rest.join('');
  }
}

/** The JSON values of NDJSON: one in each line. */
export async function* jsonLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  const lines = new LineBuffer('\n');
  for await (const piece of pieces) {
    for (const line of lines.push(decoder.decode(piece, { stream: true }))) {
      if (line !== '') yield JSON.parse(line);
    }
  }
  const last = lines.remainder();
  if (last !== '') yield JSON.parse(last);
}
