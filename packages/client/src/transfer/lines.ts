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

/** The JSON values of NDJSON: one in each line. */
export async function* jsonLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
  if (rest !== '') yield JSON.parse(rest);
}
