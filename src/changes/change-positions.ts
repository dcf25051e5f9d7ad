import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';
import { invalid } from '../kernel/errors.js';
import type { Place } from '../storage/change-place.js';

/** A place in one feed of a collection; a feed that was ended and begun anew is another one. */
export interface ChangePosition extends Place {
  readonly feed: string;
}

const SIGNATURE_BYTES = 16;
/** A uuid and two numbers. */
const BODY_BYTES = 16 + 8 + 8;

/** Positions as clients see them: opaque, and signed so that none can be made up. */
@Injectable()
export class ChangePositions {
  private readonly key: Buffer;

  constructor(secrets: Secrets) {
    this.key = secrets.derive('change-position');
  }

  seal(collectionId: string, { feed, xid, seq }: ChangePosition): string {
    const body = Buffer.alloc(BODY_BYTES);
    body.write(feed.replaceAll('-', ''), 'hex');
    body.writeBigUInt64BE(BigInt(xid), 16);
    body.writeBigUInt64BE(BigInt(seq), 24);
    return Buffer.concat([body, this.sign(collectionId, body)]).toString('base64url');
  }

  /** Throws 400 for a position that was changed, or is of another collection. */
  open(collectionId: string, position: string): ChangePosition {
    const bytes = Buffer.from(position, 'base64url');
    const body = bytes.subarray(0, BODY_BYTES);
    const genuine =
      bytes.length === BODY_BYTES + SIGNATURE_BYTES &&
      timingSafeEqual(bytes.subarray(BODY_BYTES), this.sign(collectionId, body));
    if (!genuine) throw invalid('since: not a position that this collection has given out');
    const feed = body.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return { feed, xid: Number(body.readBigUInt64BE(16)), seq: Number(body.readBigUInt64BE(24)) };
  }

  private sign(collectionId: string, body: Buffer): Buffer {
    return createHmac('sha256', this.key)
      .update(collectionId)
      .update(body)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
