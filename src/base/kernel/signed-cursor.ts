import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_BYTES = 16;

/**
 * Opaque cursors: positions in a list, signed together with the list, so that a client can neither forge one nor use it
 * for another list. A cursor is Base64url of the position and the first 16 bytes of an HMAC-SHA-256. The order of the
 * parts is that of version 1.0.0, so lists go on while both versions serve.
 */
export class SignedCursor {
  /** @param bytes length of every position; leave it out only when `list` always has the same length. */
  constructor(
    private readonly key: Buffer,
    private readonly bytes?: number,
  ) {}

  sign(position: Buffer, list: string | Buffer): string {
    const signature = signed(this.key, list, position);
    const parts = this.bytes === undefined ? [signature, position] : [position, signature];
    return Buffer.concat(parts).toString('base64url');
  }

  /** The position; undefined for a cursor that was altered or belongs to another list. */
  open(cursor: string, list: string | Buffer): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const at = this.bytes ?? SIGNATURE_BYTES;
    const [first, second] = [bytes.subarray(0, at), bytes.subarray(at)];
    const [position, signature] = this.bytes === undefined ? [second, first] : [first, second];
    return isEqual(signature, signed(this.key, list, position)) ? position : undefined;
  }
}

const UUID_BYTES = 16;

/** Signed cursors of lists that are sorted by a UUID. */
export class SignedIdCursor {
  constructor(private readonly key: Buffer) {}

  sign(id: string, list: string): string {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    return Buffer.concat([bytes, signed(this.key, bytes, list)]).toString('base64url');
  }

  /** The id, in hexadecimal digits; undefined for a cursor that was altered or belongs to another list. */
  open(cursor: string, list: string): string | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const id = bytes.subarray(0, UUID_BYTES);
    const isOurs = isEqual(bytes.subarray(UUID_BYTES), signed(this.key, id, list));
    return isOurs ? id.toString('hex') : undefined;
  }
}

function signed(key: Buffer, first: string | Buffer, second: string | Buffer): Buffer {
  return createHmac('sha256', key).update(first).update(second).digest().subarray(0, SIGNATURE_BYTES);
}

function isEqual(signature: Buffer, expected: Buffer): boolean {
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
