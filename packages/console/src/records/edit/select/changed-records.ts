import type { AnyCollection, Collection, Filter } from '@typed-collections/client';
import type { CollectionInfo } from '../../../api/collection-query.js';
import type { Editing } from '../use-editing.js';

/** What changes of chosen records need. */
export interface Changed {
  readonly info: CollectionInfo;
  readonly collection: Collection<AnyCollection>;
  readonly editing: Editing;
  /** The filter of the list. */
  readonly filter: Filter<AnyCollection>;
  /** Names of fields without a column that the grid has seen. */
  readonly otherFields: readonly string[];
  /** Reads the list again. */
  readonly refresh: () => void;
}
