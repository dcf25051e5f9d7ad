/** What the address of the grid says about it: everything that a shared link must show again. */
export interface GridSearch {
  /** A filter of the filter language. */
  readonly filter?: Readonly<Record<string, unknown>>;
  /** Field names, `-name` for descending. */
  readonly sort?: readonly string[];
  /** The columns in their order; without it all columns. */
  readonly columns?: readonly string[];
  /** The id of a saved view. */
  readonly view?: string;
  /** The id of the record whose panel is open. */
  readonly record?: string;
}

export function gridSearch({ filter, sort, columns, view, record }: Record<string, unknown>): GridSearch {
  return {
    ...(isObject(filter) && { filter }),
    ...(isNames(sort) && { sort }),
    ...(isNames(columns) && { columns }),
    ...(typeof view === 'string' && { view }),
    ...(typeof record === 'string' && { record }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(name => typeof name === 'string');
}
