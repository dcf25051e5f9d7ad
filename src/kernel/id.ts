import { uuidv7 } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A new uuid v7 (RFC 9562): grows from call to call within a process, also inside one millisecond. */
export function newId(): string {
  return uuidv7();
}

/** True for the canonical 36-character text of any uuid version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}
