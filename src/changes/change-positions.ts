import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';
import { invalid } from '../kernel/errors.js';
import { SignedCursor } from '../kernel/signed-cursor.js';
import type { FeedOffset } from '../storage/changes/change-feed.js';

/** A position in a feed of a collection. A feed that has ended and begun again has another id. */
export interface ChangePosition extends FeedOffset {
  readonly feed: string;
}

/** A UUID and two numbers. */
const POSITION_BYTES = 16 + 8 + 8;

/** The text of positions for clients. */
@Injectable()
export class ChangePositions {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('change-position'), POSITION_BYTES);
  }

  sign(collectionId: string, { feed, xid, seq }: ChangePosition): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.write(feed.replaceAll('-', ''), 'hex');
    position.writeBigUInt64BE(BigInt(xid), 16);
    position.writeBigUInt64BE(BigInt(seq), 24);
    return this.cursor.sign(position, collectionId);
  }

  /** Throws 400 for a position that was altered, or belongs to another collection. */
  open(collectionId: string, text: string): ChangePosition {
    const position = this.cursor.open(text, collectionId);
    if (position === undefined) throw invalid('since: is not a position of this collection');
    const feed = position.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return { feed, xid: Number(position.readBigUInt64BE(16)), seq: Number(position.readBigUInt64BE(24)) };
  }
}
