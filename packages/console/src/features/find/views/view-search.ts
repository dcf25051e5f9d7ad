import { sortQuery } from '../../../records/grid/columns/sort.js';
import { equalJson, type JsonObject } from '../../../values/json.js';
import { sortNames } from '../sort.js';

/** The part of the address that a view stands for. */
export interface ViewState {
  readonly filter?: JsonObject | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly columns?: readonly string[] | undefined;
}

/** What the service stores of a view. Other programs may store columns as objects with a name. */
export interface StoredView {
  readonly filter: JsonObject;
  readonly sort: JsonObject;
  readonly columns: readonly (string | JsonObject)[] | null;
}

/** What the address says when a view is opened. */
export function stateOf({ filter, sort, columns }: StoredView): ViewState {
  const names = columns?.map(nameOf).filter(name => name !== undefined) ?? [];
  const order = sortNames(sort);
  return {
    filter: Object.keys(filter).length === 0 ? undefined : filter,
    sort: order.length === 0 ? undefined : order,
    columns: names.length === 0 ? undefined : names,
  };
}

/**
 * What to store for the address. Columns that `before` has as objects stay objects, so that nothing that another program
 * stored in them is lost.
 */
export function storedOf({ filter, sort, columns }: ViewState, before?: StoredView): StoredView {
  const known = new Map(before?.columns?.map(column => [nameOf(column), column]));
  return {
    filter: filter ?? {},
    sort: sortQuery(sort) ?? {},
    columns: columns?.map(name => known.get(name) ?? name) ?? null,
  };
}

/** True if the address shows something else than the view. The order of columns and of the sort matters. */
export function isChanged(view: StoredView, state: ViewState): boolean {
  const own = stateOf(view);
  return !(
    equalJson(own.filter ?? {}, state.filter ?? {}) &&
    equalJson(own.sort ?? [], state.sort ?? []) &&
    equalJson(own.columns ?? [], state.columns ?? [])
  );
}

function nameOf(column: string | JsonObject): string | undefined {
  if (typeof column === 'string') return column;
  return typeof column.name === 'string' ? column.name : undefined;
}
