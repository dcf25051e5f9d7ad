import { type AuditEvent } from '../../../values/events.js';

const MOST_CHARACTERS = 20_000;

/** The changes of an event as indented JSON: what was and what is, or counts. Undefined if there is nothing to show. */
export function changesText(changes: AuditEvent['changes']): string | undefined {
  const told = Object.entries(changes ?? {}).filter(([, value]) => value !== null);
  if (told.length === 0) return undefined;
  const text = JSON.stringify(Object.fromEntries(told), null, 2);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
