import { TcError } from '@typed-collections/client';
import type { CollectionInfo } from '../../../api/collection-query.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Approximate number of steps of the slider. */
const STEPS = 500;
const SECOND_MS = 1_000;

/** The instants that can be shown, as milliseconds since 1970. */
export interface KeptTime {
  readonly from: number;
  readonly to: number;
}

type Kept = Pick<CollectionInfo, 'created_at' | 'settings'>;

/** The time that the collection keeps, as far as its settings tell; undefined if it keeps none. */
export function keptTime({ created_at: created, settings }: Kept, now: number): KeptTime | undefined {
  if (settings.history_days === 0) return undefined;
  // The field has whole seconds. The second in which the kept time begins is not kept as a whole.
  const from = Math.max(Date.parse(created), now - settings.history_days * DAY_MS) + SECOND_MS;
  return from < now ? { from, to: now } : undefined;
}

/** The instant that is shown first: an hour ago, or the earliest one that is kept. */
export function beginOf({ from, to }: KeptTime): string {
  return new Date(Math.max(from, to - HOUR_MS)).toISOString();
}

/** The step of the slider in milliseconds. The last step ends close to `to`, however short the kept time is. */
export function stepOf({ from, to }: KeptTime): number {
  return Math.max(1, Math.round((to - from) / STEPS));
}

/** The earliest instant that the service has, if it refused an earlier one. */
export function earliestIn(error: unknown): string | undefined {
  if (!(error instanceof TcError) || error.code !== 'HistoryUnavailable') return undefined;
  const { earliest } = (error.details ?? {}) as { readonly earliest?: unknown };
  return typeof earliest === 'string' ? earliest : undefined;
}

/** An instant as a field for date and time has it, in the time zone of the browser. */
export function localText(instant: string): string {
  const date = new Date(instant);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** What was entered in such a field; undefined if it is not an instant. */
export function instantOf(text: string): string | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
