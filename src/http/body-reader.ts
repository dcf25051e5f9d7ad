import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Response } from 'express';
import { invalid, PlatformError } from '../kernel/errors.js';
import type { Arrival, BodyArrivals } from './body-arrivals.js';
import { type BodyMemory, FREE_BODY_BYTES } from './body-memory.js';
import type { PlatformRequest } from './platform-request.js';

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads bodies up to a limit, in their time, and the large ones when there is memory for them. */
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly arrivals: BodyArrivals,
  ) {}

  /** The bytes of the body without its compression. */
  async read(request: PlatformRequest, response: Response, limit: number): Promise<Buffer> {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    const announced = encoding === 'identity' ? Number(request.headers['content-length']) : Number.NaN;
    const isHeld = announced > FREE_BODY_BYTES;
    // Until there is room for it, it is left where it is.
    if (isHeld) await this.memory.hold(request, response, announced);
    const arrival = this.arrivals.begin(request.socket);
    try {
      if (isHeld || announced <= FREE_BODY_BYTES) return await collected(request, request, limit, arrival);
      return await this.unannounced(request, response, { encoding, limit, arrival });
    } finally {
      this.arrivals.end(arrival);
    }
  }

  /** A body of unknown length: when it turns out to be large, it waits for the memory of the largest, and keeps what it needs. */
  private async unannounced(
    request: PlatformRequest,
    response: Response,
    { encoding, limit, arrival }: { encoding: string; limit: number; arrival: Arrival },
  ): Promise<Buffer> {
    const decoder = encoding === 'identity' ? undefined : decoderOf(encoding);
    const stream: Readable = decoder === undefined ? request : request.pipe(decoder);
    let received = 0;
    const memory: { held?: ReturnType<BodyMemory['hold']> } = {};
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= FREE_BODY_BYTES || memory.held !== undefined) return;
      stream.pause();
      arrival.isHeldUp = true;
      memory.held = this.memory.hold(request, response, limit);
      memory.held.then(
        () => {
          arrival.isHeldUp = false;
          stream.resume();
        },
        error => arrival.giveUp(error),
      );
    });
    try {
      const bytes = await collected(request, stream, limit, arrival);
      (await memory.held)?.shrink(bytes.length);
      return bytes;
    } finally {
      if (decoder !== undefined) {
        request.unpipe(decoder);
        decoder.destroy();
      }
      // What comes after a refusal is let go.
      request.resume();
    }
  }
}

/** Rejects as soon as too much came; what comes after that is let go. */
function collected(
  request: PlatformRequest,
  stream: Readable,
  limit: number,
  arrival: Arrival,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    arrival.giveUp = reject;
    const chunks: Buffer[] = [];
    let received = 0;
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limit) chunks.push(chunk);
      else reject(tooLarge(limit));
    });
    stream.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    stream.once('error', () => reject(unreadable()));
    // After its end a request is closed, too; an error costs its stack.
    request.once('close', () => {
      if (!request.complete) reject(unreadable());
    });
  });
}

function decoderOf(encoding: string): NodeJS.ReadWriteStream & Readable {
  const make = DECODERS.get(encoding);
  if (make !== undefined) return make();
  throw new PlatformError(
    'UnsupportedMediaType',
    'The content encoding is not supported: use gzip, deflate, br or identity.',
  );
}

export function tooLarge(limit: number): PlatformError {
  return new PlatformError('PayloadTooLarge', `The body is larger than the limit of ${limit} bytes.`);
}

function unreadable(): PlatformError {
  return invalid('The body could not be read as it was announced.');
}
