import { isCalendarDay } from '../../../values/dates.js';

/** What the address of the audit log says about it. Every part narrows the list. */
export interface AuditSearch {
  /** `orgs.members`: every event whose type begins with `orgs.members.`. */
  readonly category?: string;
  /** The id of who caused the event. */
  readonly actor?: string;
  /** The first and the last day, in the time zone of the browser (`2026-12-31`). */
  readonly since?: string;
  readonly until?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

export function auditSearch({ category, actor, since, until }: Record<string, unknown>): AuditSearch {
  return {
    ...(isName(category) && { category }),
    ...(isName(actor) && { actor }),
    ...(isDay(since) && { since }),
    ...(isDay(until) && { until }),
  };
}

/** The filters as the service takes them. */
export function filtersOf({ category, actor, since, until }: AuditSearch) {
  return {
    ...(category !== undefined && { category }),
    ...(actor !== undefined && { actor }),
    ...(since !== undefined && { since: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until !== undefined && { until: new Date(`${until}T23:59:59.999`).toISOString() }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 100;
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && DAY.test(value) && isCalendarDay(value);
}
