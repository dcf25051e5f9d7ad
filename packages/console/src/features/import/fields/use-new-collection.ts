import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { AlreadyExistsError } from '@typed-collections/client';
import { api } from '../../../api/client.js';
import { collectionQuery } from '../../../api/collection-query.js';
import { propertiesOf } from '../../../values/draft-columns.js';
import type { NewField } from './new-fields.js';

interface NewCollection {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly NewField[];
}

/** Creates the collection of a file, and then calls `onCreated` with its id. */
export function useNewCollection(onCreated: (id: string) => void) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: ({ name, description, fields }: NewCollection) =>
      api.collections.createCollection({
        name,
        ...(description !== '' && { description }),
        properties: propertiesOf(fields),
      }),
    onSuccess: ({ collection_id }) => {
      void queries.invalidateQueries({ queryKey: ['collections'] });
      onCreated(collection_id);
    },
  });
  const id = create.data?.collection_id ?? '';
  const { data: info } = useQuery({ ...collectionQuery(id), enabled: id !== '' });
  return { create, info, isTaken: create.error instanceof AlreadyExistsError };
}

/** A name for a collection: that of the file, with the signs that names have. */
export function nameFromFile(fileName: string): string {
  const plain = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 64) || 'import';
}
