import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import type { PlatformRequest } from '../platform-request.js';
import type { Arrival, BodyArrivals } from './body-arrivals.js';

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads bodies within limits of size and time. All but short bodies wait until memory is available. */
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly arrivals: BodyArrivals,
  ) {}

  /** The bytes of the decompressed body. */
  async read(request: PlatformRequest, response: Response, limit: number): Promise<Buffer> {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    const announced = encoding === 'identity' ? Number(request.headers['content-length']) : Number.NaN;
    // Until memory is available, the body is not read from the connection.
    if (announced > SHORT_BODY_BYTES) await this.memory.hold(request, response, announced);
    const arrival = this.arrivals.begin(request.socket);
    try {
      if (announced >= 0) return await collected(request, request, limit, arrival);
      return await this.unannounced(request, response, { encoding, limit, arrival });
    } finally {
      this.arrivals.end(arrival);
    }
  }

  /**
   * Reads a body of unknown length. When it becomes large, it waits for memory for the largest allowed body, and
   * releases what it does not need.
   */
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
      if (received <= UNANNOUNCED_BYTES || memory.held !== undefined) return;
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
      if (memory.held !== undefined) (await memory.held).shrink(bytes.length);
      else if (bytes.length > SHORT_BODY_BYTES) await this.memory.hold(request, response, bytes.length);
      return bytes;
    } finally {
      if (decoder !== undefined) {
        request.unpipe(decoder);
        decoder.destroy();
      }
      // Discards the rest of a refused body.
      request.resume();
    }
  }
}

/** Whom a request belongs to, where requests share something: an organization, else the caller. */
export function ownerOf({ membership, principal }: PlatformRequest): string {
  return membership?.orgId ?? principal?.id ?? '';
}

/** Rejects as soon as the limit is passed. Later bytes are discarded. */
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
    // Every request also closes after its end. Creating an error captures a stack, so it is created only when needed.
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
  return invalid('The body does not match its Content-Encoding or Content-Length.');
}

/** The place of a request counts shorter bodies, see `PlaceStep`. */
const SHORT_BODY_BYTES = 32 * 1024;
/** The place of a request counts so many bytes of a body whose length is not known, while it arrives. */
const UNANNOUNCED_BYTES = 256 * 1024;
/** A body is in memory as bytes, as text and as values. Values take more memory than their text. */
const COPIES = 4;
/** Memory of an empty object and of its place in a list. Its text has three bytes. */
const CONTAINER_BYTES = 64;
/** With the smallest budget. All that fit into a body of 256 KiB. */
const LEAST_CONTAINERS = 128 * 1024;
/** The owner of all bodies in the shared budget, whose other owners are organizations with their responses. */
const BODIES = 'bodies';

/**
 * Memory for bodies during their requests. Bodies get at most half of the budget, shared among organizations and their
 * callers. The other half remains for what a request needs besides its body, so requests cannot deadlock while they wait for memory.
 */
@Injectable()
export class BodyMemory {
  /**
   * Lists and objects that one body may have. Many small ones take more than COPIES times their text, so a body whose
   * values would take more than the share of an organization is refused.
   */
  readonly mostContainers: number;
  private readonly bodies: ByteBudget;

  constructor(private readonly budget: ByteBudget) {
    this.bodies = new ByteBudget(budget.total / 2);
    this.mostContainers = Math.max(LEAST_CONTAINERS, Math.floor(this.bodies.total / 2 / CONTAINER_BYTES));
  }

  /**
   * Waits for memory for a body, and releases it after the response. Rejects with 503 when that takes too long.
   * `shrink` releases what a shorter body does not need.
   */
  async hold(
    request: PlatformRequest,
    response: Response,
    bytes: number,
  ): Promise<{ shrink(bytes: number): void }> {
    const owner = ownerOf(request);
    const caller = request.principal?.id ?? request.ip;
    let held = bytes * COPIES;
    await this.bodies.take(owner, held, caller);
    const give = (part: number) => {
      this.bodies.give(owner, part, caller);
      this.budget.give(BODIES, part);
      held -= part;
    };
    await this.budget.take(BODIES, held).catch(error => {
      this.bodies.give(owner, held, caller);
      throw error;
    });
    if (response.closed) {
      give(held);
      throw invalid('The client closed the connection before its body was read.');
    }
    response.once('close', () => give(held));
    return { shrink: needed => give(Math.max(0, held - needed * COPIES)) };
  }
}
