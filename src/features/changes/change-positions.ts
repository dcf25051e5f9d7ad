import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { SignedCursor } from '../../base/kernel/signed-cursor.js';
import type { FeedOffset } from '../../engine/storage/changes/change-feed.js';
import type { Change } from '../../engine/storage/changes/changes.js';
import { NO_RULES } from '../../engine/storage/restricted/rules-digest.js';
import { Secrets } from '../../platform/config/secrets.js';

/** A position in a feed of a collection. A feed that has ended and begun again has another id. */
export interface ChangePosition extends FeedOffset {
  readonly feed: string;
  /** The digest of the rules under which the feed is read (`rulesDigest`). */
  readonly rules: string;
}

/** Changes in order, and the position to continue from. */
export interface ChangeBatch {
  readonly from: ChangePosition;
  readonly changes: readonly Change[];
  readonly next: ChangePosition;
  /** True when more changes can be read now. */
  readonly more: boolean;
}

/** A UUID and two numbers. */
const OFFSET_BYTES = 16 + 8 + 8;
const DIGEST_BYTES = 16;
const IV_BYTES = 16;
const SEALED_BYTES = IV_BYTES + OFFSET_BYTES + DIGEST_BYTES;

/**
 * The text of positions for clients. Those of restricted callers are encrypted and have the digest of their rules: their
 * numbers would tell how many records that the caller does not see were written.
 */
@Injectable()
export class ChangePositions {
  private readonly cursor: SignedCursor;
  private readonly sealed: SealedPositions;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('change-position'), OFFSET_BYTES);
    this.sealed = new SealedPositions(
      secrets.derive('change-position-under-rules'),
      secrets.derive('change-position-content'),
    );
  }

  sign(collectionId: string, position: ChangePosition): string {
    const bytes = bytesOf(position);
    if (position.rules === NO_RULES) return this.cursor.sign(bytes, collectionId);
    return this.sealed.seal(Buffer.concat([bytes, Buffer.from(position.rules, 'hex')]), collectionId);
  }

  /** Throws 400 for a position that was altered, or belongs to another collection. */
  open(collectionId: string, text: string): ChangePosition {
    const plain = this.cursor.open(text, collectionId);
    if (plain !== undefined) return positionOf(plain, NO_RULES);
    const content = this.sealed.open(text, collectionId);
    if (content === undefined) throw invalid('since: is not a position of this collection');
    return positionOf(content, content.toString('hex', OFFSET_BYTES));
  }
}

/** 410 for a position from before the grants of the caller, or their variables, changed. */
export function positionReset(): PlatformError {
  return new PlatformError(
    'PositionReset',
    'Your access to this collection has changed since this position. Read the collection again, then follow it from a new position.',
  );
}

/**
 * Encrypts positions so that equal ones have equal texts: the initialization vector is a keyed hash of the content, which
 * also shows whether a text was altered (RFC 5297 describes this construction).
 */
class SealedPositions {
  constructor(
    private readonly authentication: Buffer,
    private readonly encryption: Buffer,
  ) {}

  seal(content: Buffer, list: string): string {
    const iv = this.ivOf(content, list);
    const cipher = createCipheriv('aes-256-ctr', this.encryption, iv);
    return Buffer.concat([iv, cipher.update(content), cipher.final()]).toString('base64url');
  }

  open(text: string, list: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== SEALED_BYTES) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.encryption, iv);
    const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]);
    return timingSafeEqual(iv, this.ivOf(content, list)) ? content : undefined;
  }

  private ivOf(content: Buffer, list: string): Buffer {
    return createHmac('sha256', this.authentication)
      .update(list)
      .update(content)
      .digest()
      .subarray(0, IV_BYTES);
  }
}

function bytesOf({ feed, xid, seq }: ChangePosition): Buffer {
  const bytes = Buffer.alloc(OFFSET_BYTES);
  bytes.write(feed.replaceAll('-', ''), 'hex');
  bytes.writeBigUInt64BE(BigInt(xid), 16);
  bytes.writeBigUInt64BE(BigInt(seq), 24);
  return bytes;
}

function positionOf(bytes: Buffer, rules: string): ChangePosition {
  const feed = bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { feed, rules, xid: Number(bytes.readBigUInt64BE(16)), seq: Number(bytes.readBigUInt64BE(24)) };
}

/** The positions and JSON texts of changes. The record is inserted as PostgreSQL's text without parsing it. */
export function positioned(
  positions: ChangePositions,
  collectionId: string,
  { feed, rules }: Pick<ChangePosition, 'feed' | 'rules'>,
  changes: readonly Change[],
): (readonly [position: string, json: string])[] {
  return changes.map(({ type, recordId, changedAt, record, ...offset }) => {
    const position = positions.sign(collectionId, { feed, rules, ...offset });
    const content = record === null ? '' : `,"record":${record}`;
    const json = `{"id":"${position}","type":"${type}","record_id":"${recordId}","changed_at":"${changedAt}"${content}}`;
    return [position, json];
  });
}
