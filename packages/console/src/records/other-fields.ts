import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { type Columns, SYSTEM_FIELDS } from '../values/field-types.js';
import { isObject, type JsonObject } from '../values/json.js';

const MAX_FIELDS = 200;

/**
 * The names of fields without a column in some records, and the paths into objects: `address`, `address.city`. Objects
 * in lists count too: their fields are at the same path.
 */
export function otherFields(records: readonly JsonObject[], columns: Columns): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown, path: string) => {
    if (Array.isArray(value)) for (const item of value.slice(0, 5)) visit(item, path);
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      // A name with a dot cannot be named in a filter.
      if (found.size >= MAX_FIELDS || name === '' || name.startsWith('$') || name.includes('.')) continue;
      found.add(`${path}.${name}`);
      visit(member, `${path}.${name}`);
    }
  };
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      if (Object.hasOwn(SYSTEM_FIELDS, name) || name === '_cut' || name === '_etag') continue;
      if (!Object.hasOwn(columns, name) && found.size < MAX_FIELDS) found.add(name);
      visit(value, name);
    }
  }
  return [...found].sort();
}

/** Records that are looked at, and how much of each value. */
const SAMPLE = { records: 50, characters: 200 };

/** The first records of a collection, with long values cut. */
export const sampleQuery = (collection: string) =>
  queryOptions({
    queryKey: ['find', 'fields', collection],
    queryFn: async ({ signal }) => {
      const sample = client.collection(collection).find({}, { preview: SAMPLE.characters, signal });
      return (await sample.page({ limit: SAMPLE.records })).records;
    },
    staleTime: 60_000,
  });

/** The names of fields without a column in some records, as suggestions. Read only when a dialog needs them. */
export function useOtherFields(collection: string, columns: Columns): readonly string[] {
  const { data } = useQuery(sampleQuery(collection));
  return otherFields(data ?? [], columns);
}
