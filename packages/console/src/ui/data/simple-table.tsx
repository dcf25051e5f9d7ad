import type { Key, ReactNode } from 'react';
import { EmptyState, ErrorBox, Loading } from '../states.js';
import styles from './simple-table.module.css';

export interface SimpleColumn<Item> {
  readonly title: string;
  /** The content of a cell. The first column names the row. */
  readonly cell: (item: Item) => ReactNode;
  /** `end` for numbers and for buttons. */
  readonly align?: 'end';
}

interface SimpleTableProps<Item> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly SimpleColumn<Item>[];
  /** Undefined while they are loaded, or when that failed. */
  readonly items: readonly Item[] | undefined;
  readonly itemKey: (item: Item) => Key;
  /** Why there are no items; null or undefined if nothing failed. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
  /** Shown in place of an empty table: a text, or an `EmptyState`. */
  readonly empty: ReactNode;
}

/** A table of some items. On narrow screens each row is a card, whose cells carry the titles of their columns. */
export function SimpleTable<Item>(props: SimpleTableProps<Item>) {
  const { label, columns, items, itemKey, error, onRetry, empty } = props;
  if (items === undefined && error !== null && error !== undefined) {
    return <ErrorBox error={error} {...(onRetry && { onRetry })} />;
  }
  if (items === undefined) return <Loading lines={4} />;
  if (items.length === 0) return typeof empty === 'string' ? <EmptyState title={empty} /> : empty;
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ title, align }) => (
            <th key={title} scope="col" className={align === 'end' ? styles.end : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map(item => (
          <tr key={itemKey(item)}>
            {columns.map((column, index) => (
              <Cell key={column.title} column={column} item={item} namesRow={index === 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps<Item> {
  readonly column: SimpleColumn<Item>;
  readonly item: Item;
  readonly namesRow: boolean;
}

function Cell<Item>({ column: { title, cell, align }, item, namesRow }: CellProps<Item>) {
  if (namesRow) return <th scope="row">{cell(item)}</th>;
  return (
    <td data-title={title} className={align === 'end' ? styles.end : undefined}>
      {cell(item)}
    </td>
  );
}
