import { isCalendarDay } from '../../values/dates.js';

/** What the address of the page of activity says about it. Every part narrows the list of events. */
export interface ActivitySearch {
  /** Type of event. */
  readonly action?: string;
  /** Id of who caused it. */
  readonly actor?: string;
  /** Id of a record that it names. */
  readonly record?: string;
  /** Correlation id of the request that caused it. */
  readonly request?: string;
  /** First and last day, in the time zone of the browser. */
  readonly since?: string;
  readonly until?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TEXTS = ['action', 'actor', 'record', 'request'] as const;

export function activitySearch(search: Record<string, unknown>): ActivitySearch {
  const texts = TEXTS.filter(name => isText(search[name])).map(name => [name, search[name]]);
  const days = (['since', 'until'] as const)
    .filter(name => isDay(search[name]))
    .map(name => [name, search[name]]);
  return Object.fromEntries([...texts, ...days]);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 200;
const isDay = (value: unknown): boolean =>
  typeof value === 'string' && DAY.test(value) && isCalendarDay(value);

/** The filters as listAuditEvents takes them: days become the instants of their beginning and end. */
export function auditFilters({ action, actor, record, request, since, until }: ActivitySearch) {
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor_id: actor }),
    ...(record !== undefined && { record_id: record }),
    ...(request !== undefined && { correlation_id: request }),
    ...(since !== undefined && { since: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until !== undefined && { until: new Date(`${until}T23:59:59.999`).toISOString() }),
  };
}
