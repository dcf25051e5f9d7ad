import { createHash, type Hash } from 'node:crypto';
import type { RequestDigest } from '../kernel/call.js';
import { invalid } from '../kernel/errors.js';
import { isJsonObject } from '../kernel/json.js';

/**
 * Digest of a request whose body has been parsed. Equal JSON has an equal digest; the order of fields does not matter.
 */
export function digestOf(method: string, url: string, body: unknown): RequestDigest {
  const value = begun(method, url).update(canonical(body)).digest();
  return { value, through: bytes => bytes };
}

/** Digest of a request whose body is streamed. Only equal bytes have an equal digest. */
export class StreamDigest implements RequestDigest {
  value: Buffer | undefined;
  private readonly hash: Hash;

  constructor(method: string, url: string) {
    this.hash = begun(method, url);
  }

  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      this.hash.update(chunk);
      yield chunk;
    }
    this.value = this.hash.digest();
  }
}

function begun(method: string, url: string): Hash {
  return createHash('sha256').update(`${method} ${url}\n`);
}

function canonical(body: unknown): string {
  try {
    return JSON.stringify(body, (_, value) => (isJsonObject(value) ? sorted(value) : value));
  } catch {
    throw invalid('The body is nested too deeply.');
  }
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
