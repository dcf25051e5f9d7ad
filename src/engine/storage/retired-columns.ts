import { ownValue } from '../../base/kernel/json.js';
import type { ColumnTypeName } from '../columns/index.js';

/** A column that had another type until the type of its name changed. Only versions of the history still use it. */
export interface RetiredColumn {
  readonly name: string;
  readonly type: ColumnTypeName;
  readonly number: number;
}

/** A column of any time. */
type NumberedColumn = Omit<RetiredColumn, 'name'>;

/** The declared columns of a collection, by name. */
interface Declared {
  readonly columns: Readonly<Record<string, NumberedColumn>>;
}

/**
 * The highest number of a column. It grows with every change of the schema that is visible in records, so it tells which
 * columns a record had when it was stored.
 */
export function schemaNumber({ columns }: Declared): number {
  return Math.max(0, ...Object.values(columns).map(({ number }) => number));
}

/** The columns that are retired when the columns of `before` become those of `after`, with those retired earlier. */
export function retiredColumns(
  before: Declared & { readonly retiredColumns?: readonly RetiredColumn[] },
  after: Declared,
): RetiredColumn[] {
  const retired = Object.entries(before.columns).flatMap(([name, { type, number }]) =>
    ownValue(after.columns, name)?.number === number ? [] : [{ name, type, number }],
  );
  return [...(before.retiredColumns ?? []), ...retired];
}
