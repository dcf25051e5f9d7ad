import { useMemo } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { recordsRoute } from '../../../api/routes.js';
import { allColumns, type GridColumn, moved, shownColumns } from './columns.js';
import { type Direction, sortBy } from './sort.js';

export interface ColumnChoice {
  readonly all: readonly GridColumn[];
  readonly shown: readonly GridColumn[];
  readonly show: (name: string, isShown: boolean) => void;
  readonly move: (name: string, by: number) => void;
  /** Shows the columns that are shown without a choice. */
  readonly reset: () => void;
  readonly isChosen: boolean;
  readonly sort: (name: string, direction: Direction | undefined) => void;
}

/** Which columns are shown in which order, and the sort: all of it is in the address. */
export function useColumnChoice(schema: CollectionInfo['schema'], seen: readonly string[]): ColumnChoice {
  const { columns: chosen } = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();
  const all = useMemo(() => allColumns(schema, seen), [schema, seen]);
  const shown = useMemo(() => shownColumns(all, chosen), [all, chosen]);
  const names = shown.map(({ name }) => name);
  const choose = (columns: readonly string[] | undefined) =>
    void navigate({ search: before => ({ ...before, columns }), replace: true });
  return {
    all,
    shown,
    isChosen: chosen !== undefined,
    show: (name, isShown) => {
      const others = names.filter(other => other !== name);
      if (isShown) choose([...others, name]);
      else if (others.length > 0) choose(others);
    },
    move: (name, by) => choose(moved(names, name, by)),
    reset: () => choose(undefined),
    sort: (name, direction) =>
      void navigate({ search: before => ({ ...before, sort: sortBy(name, direction) }) }),
  };
}
