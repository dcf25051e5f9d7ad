import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_BYTES = 16;

/**
 * Opaque cursors: positions in a list, signed together with the list, so that a client can neither forge one nor use it
 * for another list. A cursor is Base64url of the position and the first 16 bytes of an HMAC-SHA-256.
 */
export class SignedCursor {
  /** @param bytes length of every position; leave it out only when `list` always has the same length. */
  constructor(
    private readonly key: Buffer,
    private readonly bytes?: number,
  ) {}

  sign(position: Buffer, list: string | Buffer): string {
    return Buffer.concat([position, this.signature(position, list)]).toString('base64url');
  }

  /** The position; undefined for a cursor that was altered or belongs to another list. */
  open(cursor: string, list: string | Buffer): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const end = bytes.length - SIGNATURE_BYTES;
    if (end < 0 || (this.bytes !== undefined && end !== this.bytes)) return undefined;
    const position = bytes.subarray(0, end);
    return timingSafeEqual(bytes.subarray(end), this.signature(position, list)) ? position : undefined;
  }

  private signature(position: Buffer, list: string | Buffer): Buffer {
    return createHmac('sha256', this.key).update(list).update(position).digest().subarray(0, SIGNATURE_BYTES);
  }
}

/** Signed cursors of lists that are sorted by a UUID. */
export class SignedIdCursor {
  private readonly cursor: SignedCursor;

  constructor(key: Buffer) {
    this.cursor = new SignedCursor(key, 16);
  }

  sign(id: string, list: string): string {
    return this.cursor.sign(Buffer.from(id.replaceAll('-', ''), 'hex'), list);
  }

  /** The id, in hexadecimal digits; undefined for a cursor that was altered or belongs to another list. */
  open(cursor: string, list: string): string | undefined {
    return this.cursor.open(cursor, list)?.toString('hex');
  }
}
