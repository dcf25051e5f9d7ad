import type { UseQueryResult } from '@tanstack/react-query';
import type { Key, ReactNode } from 'react';
import { Pages } from '../../ui/data/pages.js';
import { type SimpleColumn, SimpleTable } from '../../ui/data/simple-table.js';
import { PER_PAGE } from './lists.js';

interface ListTableProps<Item> {
  readonly label: string;
  readonly query: UseQueryResult<{ readonly results: readonly Item[]; readonly total: number }>;
  readonly columns: readonly SimpleColumn<Item>[];
  readonly itemKey: (item: Item) => Key;
  /** Shown in place of an empty list. */
  readonly empty: ReactNode;
  /** The page of the list, from 1. Undefined: the list is shown without pages. */
  readonly page?: number | undefined;
}

/** One page of a list of the organization, and the way to the other pages. */
export function ListTable<Item>({ label, query, columns, itemKey, empty, page = 1 }: ListTableProps<Item>) {
  const { data, error, refetch } = query;
  return (
    <>
      <SimpleTable
        label={label}
        columns={columns}
        items={data?.results}
        itemKey={itemKey}
        error={error}
        onRetry={() => void refetch()}
        empty={empty}
      />
      {data !== undefined && <Pages label={label} page={page} perPage={PER_PAGE} total={data.total} />}
    </>
  );
}
