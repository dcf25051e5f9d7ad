import { type Filter, parseFilter } from '../filter/index.js';
import { invalid } from '../kernel/errors.js';
import type { Selection } from '../storage/selection.js';

interface FilteredBody {
  readonly filter: unknown;
  readonly max_affected?: number;
  readonly allow_match_all?: boolean;
}

/** The records a write by filter is about. Throws 400 for a filter that says nothing, unless that is what is wanted. */
export function selectionByFilter({
  filter,
  max_affected,
  allow_match_all,
}: FilteredBody): Extract<Selection, { atMost: unknown }> {
  const parsed = parseFilter(filter);
  if (saysNothing(parsed) && allow_match_all !== true) {
    throw invalid(
      'filter: an empty filter matches every record; send allow_match_all: true if you mean that',
    );
  }
  return { filter: parsed, atMost: max_affected };
}

/** `{}`, also as the only thing that `$and` and `$or` combine. */
function saysNothing(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.every(saysNothing);
  return filter.kind === 'or' && filter.filters.some(saysNothing);
}
