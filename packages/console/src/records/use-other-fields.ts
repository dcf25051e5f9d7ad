import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { type Columns } from '../values/field-types.js';
import { otherFields } from './other-fields.js';

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
