import { getRandomValues, randomUUID } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** The text of a uuid, in any case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Random numbers are fetched in batches, because each call to the operating system's source costs as much as an id. */
const random = new Uint32Array(1024);
let used = random.length;

const generator = new V7Generator({
  nextUint32() {
    if (used === random.length) {
      getRandomValues(random);
      used = 0;
    }
    return random[used++] as number;
  },
});

let behindMs = 0;

/** Sets by how many milliseconds the machine's clock is behind the one that all instances share. */
export function correctIds(ms: number): void {
  behindMs = Math.round(ms);
}

/** The text of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The canonical text of a uuid. The `toString` of the library takes twice as long. */
function textOf(bytes: Readonly<Uint8Array>): string {
  const hex = (at: number) => HEX[bytes[at] as number] as string;
  const pair = (at: number) => hex(at) + hex(at + 1);
  return `${pair(0)}${pair(2)}-${pair(4)}-${pair(6)}-${pair(8)}-${pair(10)}${pair(12)}${pair(14)}`;
}

/**
 * A new UUIDv7 (RFC 9562) of the corrected time. Ids grow from call to call within a process, also inside one
 * millisecond. Only after a correction of more than ten seconds backwards can a new id be smaller than an earlier one.
 */
export function newId(): string {
  return textOf(generator.generateOrResetWithTs(Date.now() + behindMs).bytes);
}

/**
 * A random name for the tags around data in a text for a language model. The data cannot contain the end tag, because
 * nobody knows it in advance. Node keeps random bytes for UUIDs in store; `randomBytes` would ask the operating system.
 */
export function dataTag(): string {
  return `data-${randomUUID().replaceAll('-', '').slice(-24)}`;
}

/** True for the canonical 36-character text of any uuid version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/**
 * The ids of changed users, organizations, keys, sessions or agents, or `all` when the notification does not list them.
 */
export type ChangedIds = readonly string[] | 'all';

/** The ids in a payload of `permissions.changed` or `sessions.revoked`: `{table, ids}` or `{all: true}`. */
export function changedIds(payload: string): ChangedIds {
  try {
    const { ids } = JSON.parse(payload);
    return Array.isArray(ids) && ids.every(id => typeof id === 'string') ? ids : 'all';
  } catch {
    return 'all';
  }
}
