export type Direction = 'ascending' | 'descending';

interface SortField {
  readonly name: string;
  readonly direction: Direction;
}

/** The fields of a sort as the address writes them: `-name` is descending. */
export function sortFields(sort: readonly string[] | undefined): SortField[] {
  return (sort ?? []).map(field =>
    field.startsWith('-')
      ? { name: field.slice(1), direction: 'descending' }
      : { name: field, direction: 'ascending' },
  );
}

/** The sort as the service reads it; undefined for the order of insertion. */
export function sortQuery(sort: readonly string[] | undefined): Record<string, 1 | -1> | undefined {
  if (sort === undefined || sort.length === 0) return undefined;
  return Object.fromEntries(
    sortFields(sort).map(({ name, direction }) => [name, direction === 'ascending' ? 1 : -1]),
  );
}

/** The direction of a column in the sort; undefined if it is not sorted by it. */
export function directionOf(sort: readonly string[] | undefined, name: string): Direction | undefined {
  return sortFields(sort).find(field => field.name === name)?.direction;
}

/** The sort after a choice at a column: by this column alone, or not at all. */
export function sortBy(name: string, direction: Direction | undefined): string[] | undefined {
  if (direction === undefined) return undefined;
  return [direction === 'descending' ? `-${name}` : name];
}

/** What the next press on a header does: ascending, descending, none. */
export function nextDirection(direction: Direction | undefined): Direction | undefined {
  if (direction === undefined) return 'ascending';
  return direction === 'ascending' ? 'descending' : undefined;
}
