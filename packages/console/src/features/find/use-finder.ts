import { useQuery } from '@tanstack/react-query';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { recordsRoute } from '../../api/routes.js';
import { meQuery } from '../../api/session.js';
import type { GridSearch } from '../../records/grid/search.js';
import type { JsonObject } from '../../values/json.js';
import { rememberFilter } from './history.js';

/** The collection of the page, what its address shows, and how to show something else. */
export interface Finder {
  readonly collection: CollectionInfo;
  readonly search: GridSearch;
  /** The id of the person who is signed in. Each person has a list of last filters. */
  readonly person: string;
  /** Changes the address. What is undefined is removed from it. */
  readonly show: (change: Partial<GridSearch>) => void;
  /** Shows what a filter matches, and keeps it among the last filters. */
  readonly applyFilter: (filter: JsonObject, change?: Partial<GridSearch>) => void;
}

/** Undefined while the collection is loading. */
export function useFinder(): Finder | undefined {
  const { collection: name } = recordsRoute.useParams();
  const search = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();
  const { data: collection } = useQuery(collectionQuery(name));
  const { data: me } = useQuery(meQuery);
  if (collection === undefined) return undefined;
  const person = me?.id ?? '';
  const show = (change: Partial<GridSearch>) =>
    void navigate({ search: previous => ({ ...previous, ...change }) });
  const applyFilter = (filter: JsonObject, change: Partial<GridSearch> = {}) => {
    rememberFilter(localStorage, person, collection.collection_id, filter);
    show({ ...change, filter: Object.keys(filter).length === 0 ? undefined : filter });
  };
  return { collection, search, person, show, applyFilter };
}
