import type { api } from '../../../api/client.js';

export type RecordVersion = Awaited<ReturnType<typeof api.history.getRecordHistory>>['items'][number];

/** The value of one field before and after a write. `undefined` is an absent field. */
export interface Difference {
  readonly field: string;
  readonly after: unknown;
  /** Undefined if the version before is not known. */
  readonly before: { readonly value: unknown } | undefined;
}

type Values = Pick<RecordVersion, 'record' | 'changed'>;

/** What a version changed, compared with the version before it, which may not be kept any more. */
export function differencesOf({ record, changed }: Values, older: Values | undefined): Difference[] {
  const values = record ?? {};
  return changed.map(field => ({
    field,
    after: fieldOf(values, field),
    before: older === undefined ? undefined : { value: fieldOf(older.record ?? {}, field) },
  }));
}

function fieldOf(values: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(values, field) ? values[field] : undefined;
}
