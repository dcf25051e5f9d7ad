import type { AuditEventView } from '../../audit/audit.dto.js';

/** Media types of a page of the audit log; the first one is the default. */
export const AUDIT_FORMATS = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

const COLUMNS: Readonly<Record<string, (event: AuditEventView) => unknown>> = {
  id: event => event.id,
  type: event => event.type,
  createdAt: event => event.createdAt,
  orgSlug: event => event.orgSlug,
  'actor.type': event => event.actor.type,
  'actor.id': event => event.actor.id,
  'actor.via': event => event.actor.via,
  'target.type': event => event.target.type,
  'target.id': event => event.target.id,
  'target.name': event => event.target.name,
  count: event => event.count,
  record_ids: event => event.record_ids,
  changes: event => event.changes,
  correlationId: event => event.correlationId,
  ip: event => event.ip,
};

/** One JSON object per line. */
export function toNdjson(events: readonly AuditEventView[]): string {
  return events.map(event => `${JSON.stringify(event)}\n`).join('');
}

/**
 * RFC 4180 with a header line; lists and objects as JSON, null as an empty field. Text is not escaped for spreadsheets:
 * a value that begins with `=` stays as it is, so import the columns as text.
 */
export function toCsv(events: readonly AuditEventView[]): string {
  const rows = events.map(event => Object.values(COLUMNS).map(column => cell(column(event))));
  return [Object.keys(COLUMNS), ...rows].map(row => `${row.join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
