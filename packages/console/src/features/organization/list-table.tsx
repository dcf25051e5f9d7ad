import type { UseQueryResult } from '@tanstack/react-query';
import type { Key, ReactNode } from 'react';
import { t } from '../../i18n/language.js';
import { Pages } from '../../ui/data/pages.js';
import { Section } from '../../ui/data/section.js';
import { type SimpleColumn, SimpleTable } from '../../ui/data/simple-table.js';
import { DialogButton } from './fields/dialog-button.js';
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

interface ListSectionProps<Item> extends Omit<ListTableProps<Item>, 'label'> {
  readonly title: string;
  readonly text: string;
  /** The button for a new item, and its dialog. */
  readonly create: false | { readonly label: string; readonly dialog: (close: () => void) => ReactNode };
  /** What somebody may do with an item, in a column of its own. */
  readonly actionsOf: false | ((item: Item) => ReactNode);
}

/** A section with a list of the organization, whose items are made, changed and removed here. */
export function ListSection<Item>(props: ListSectionProps<Item>) {
  const { title, text, create, actionsOf, columns, ...table } = props;
  const actions = { title: t('organization.actions'), align: 'end', cell: actionsOf } as SimpleColumn<Item>;
  return (
    <Section
      title={title}
      text={text}
      actions={
        create && (
          <DialogButton look="primary" label={create.label}>
            {create.dialog}
          </DialogButton>
        )
      }
    >
      <ListTable label={title} columns={actionsOf ? [...columns, actions] : columns} {...table} />
    </Section>
  );
}
