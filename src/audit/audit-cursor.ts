import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../kernel/errors.js';

const ID_BYTES = 16;
const SIGNATURE_BYTES = 16;

/** An opaque cursor: the id of the last event shown, signed together with the list it belongs to. */
export function sealCursor(key: Buffer, id: string, list: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([bytes, sign(key, bytes, list)]).toString('base64url');
}

/** The id in a cursor. Throws 400 for one that was changed or belongs to another list. */
export function openCursor(key: Buffer, cursor: string, list: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.subarray(0, ID_BYTES);
  const genuine =
    bytes.length === ID_BYTES + SIGNATURE_BYTES &&
    timingSafeEqual(bytes.subarray(ID_BYTES), sign(key, id, list));
  if (!genuine) throw invalid('cursor: not one that this list with these filters was given');
  return id.toString('hex');
}

function sign(key: Buffer, id: Buffer, list: string): Buffer {
  return createHmac('sha256', key).update(id).update(list).digest().subarray(0, SIGNATURE_BYTES);
}
