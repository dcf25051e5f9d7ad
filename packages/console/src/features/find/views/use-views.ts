import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { GridSearch } from '../../../records/grid/search.js';
import type { Finder } from '../use-finder.js';
import { type StoredView, stateOf, storedOf } from './view-search.js';

/** A saved view as the service returns it. */
export interface SavedView extends StoredView {
  readonly id: string;
  readonly name: string;
  readonly for: 'me' | 'all';
  readonly fields: unknown;
}

const viewsQuery = (collection: string) =>
  queryOptions({
    queryKey: ['views', collection],
    queryFn: async ({ signal }) => {
      const { items } = await api.collections.listViews({ collection_id: collection }, { signal });
      return items as unknown as readonly SavedView[];
    },
  });

/** The views that this person sees. Loaded when the menu is opened, or when the address names a view. */
export function useViews({ collection, search }: Finder, isOpen: boolean) {
  const query = useQuery({
    ...viewsQuery(collection.collection_id),
    enabled: isOpen || search.view !== undefined,
  });
  return { ...query, current: query.data?.find(({ id }) => id === search.view) };
}

/** What to do with views. Each shows what it did in the address. */
export function useViewChanges({ collection, search, show }: Finder) {
  const id = collection.collection_id;
  const cache = useQueryClient();
  const done = () => cache.invalidateQueries({ queryKey: viewsQuery(id).queryKey });
  const create = useMutation({
    mutationFn: (view: Pick<SavedView, 'name' | 'for'>) =>
      api.collections.createView({ collection_id: id, ...view, ...bodyOf(storedOf(search)) }),
    onSuccess: async view => {
      await done();
      show({ view: view.id });
    },
  });
  /** Stores what the page shows, or another name. */
  const replace = useMutation({
    mutationFn: ({ view, name, audience, keep }: Replacement) => {
      const stored = keep ? view : storedOf(search, view);
      const { fields } = view;
      return api.collections.replaceView({
        collection_id: id,
        view_id: view.id,
        name,
        for: audience,
        ...bodyOf(stored),
        ...(fields !== null && { fields: fields as never }),
      });
    },
    onSuccess: done,
  });
  const remove = useMutation({
    mutationFn: (view: SavedView) => api.collections.deleteView({ collection_id: id, view_id: view.id }),
    onSuccess: async () => {
      show({ view: undefined });
      await done();
    },
  });
  return { create, replace, remove };
}

export interface Replacement {
  readonly view: SavedView;
  readonly name: string;
  readonly audience: SavedView['for'];
  /** Keeps what the view shows. */
  readonly keep: boolean;
}

/** The address that shows a view. */
export function searchOf(view: SavedView): Partial<GridSearch> {
  return { filter: undefined, sort: undefined, columns: undefined, ...stateOf(view), view: view.id };
}

function bodyOf({ filter, sort, columns }: StoredView) {
  return { filter: { ...filter }, sort: { ...sort }, columns: columns as never };
}
