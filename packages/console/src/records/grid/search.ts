import { isLost } from '../../values/long-search.js';

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
  /** The records as they were at this instant (`2027-01-31T12:00:00.000Z`); without it as they are. */
  readonly as_of?: string;
  /** The filter was too long for the address, and another tab has it. */
  readonly lost_filter?: true;
}

export function gridSearch(search: Record<string, unknown>): GridSearch {
  const { filter, sort, columns, view, record, as_of: asOf, lost_filter: lost } = search;
  return {
    ...(isObject(filter) && { filter }),
    ...((isLost(filter) || (lost === true && !isObject(filter))) && { lost_filter: true as const }),
    ...(isNames(sort) && { sort }),
    ...(isNames(columns) && { columns }),
    ...(typeof view === 'string' && { view }),
    ...(typeof record === 'string' && { record }),
    ...(isInstant(asOf) && { as_of: asOf }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

/** True for an instant in UTC, as addresses have it. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(name => typeof name === 'string');
}
