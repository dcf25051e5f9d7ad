import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';
import type { Position, Sort } from '../filter/index.js';
import { invalid } from '../kernel/errors.js';
import type { CollectionShape } from '../storage/collection-shape.js';

/** What a cursor belongs to: it is refused for anything else. */
export interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
}

const SIGNATURE_BYTES = 16;

/** Opaque cursors: the position of a record in a sorted, filtered list, signed so that none can be made up. */
@Injectable()
export class Cursors {
  private readonly key: Buffer;

  constructor(secrets: Secrets) {
    this.key = secrets.derive('cursor');
  }

  seal(position: Position, query: CursorQuery): string {
    const body = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.sign(body, query), body]).toString('base64url');
  }

  /** Throws 400 for a cursor that was changed, or made for another collection, filter or sort. */
  open(cursor: string, query: CursorQuery): Position {
    const bytes = Buffer.from(cursor, 'base64url');
    const [signature, body] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
    const genuine =
      signature.length === SIGNATURE_BYTES && timingSafeEqual(signature, this.sign(body, query));
    if (!genuine) throw invalid('cursor: not one that this query with this filter and sort was given');
    return JSON.parse(body.toString('utf8'));
  }

  private sign(body: Buffer, { shape, filter, sort }: CursorQuery): Buffer {
    // The types too: a position is text that only the type it came from can read.
    const types = sort.map(({ path }) => shape.columns[path[0] as string]?.type ?? null);
    const belongsTo = createHash('sha256')
      .update(JSON.stringify([shape.id, filter ?? {}, sort, types]))
      .digest();
    return createHmac('sha256', this.key)
      .update(belongsTo)
      .update(body)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
