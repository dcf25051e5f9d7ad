/** What an entry does: `ordered` and `search` are entries of `indexes`, `unique` of `uniques`. */
export type IndexKind = 'ordered' | 'search' | 'unique';

/** An index or a unique constraint. */
export interface IndexEntry {
  readonly kind: IndexKind;
  readonly properties: readonly string[];
}

/** An index as the service describes it, in its collection, in a plan or as advice. */
export interface ServiceIndex {
  readonly properties: readonly string[];
  readonly kind?: string | undefined;
}

interface ServiceSet {
  readonly indexes: readonly ServiceIndex[];
  readonly uniques: readonly ServiceIndex[];
}

/** The form that applyIndexes takes. */
export interface WantedSet {
  readonly indexes: { properties: string[]; kind?: 'ordered' | 'search' }[];
  readonly uniques: { properties: string[] }[];
}

/** An entry of `indexes`. */
export function entryOf({ properties, kind }: ServiceIndex): IndexEntry {
  return { kind: kind === 'search' ? 'search' : 'ordered', properties };
}

/** All indexes and unique constraints of a collection, unique constraints first. */
export function entriesOf({ indexes, uniques }: ServiceSet): readonly IndexEntry[] {
  return [
    ...uniques.map(({ properties }) => ({ kind: 'unique' as const, properties })),
    ...indexes.map(entryOf),
  ];
}

/** Identifies an entry within a collection. */
export function entryKey({ kind, properties }: IndexEntry): string {
  return JSON.stringify([kind, ...properties]);
}

/** The full set that the service shall have. */
export function setOf(entries: readonly IndexEntry[]): WantedSet {
  const plain = entries.map(({ kind, properties }) => ({ kind, properties: [...properties] }));
  return {
    indexes: plain.flatMap(({ kind, properties }) =>
      kind === 'unique' ? [] : [kind === 'search' ? { properties, kind } : { properties }],
    ),
    uniques: plain.flatMap(({ kind, properties }) => (kind === 'unique' ? [{ properties }] : [])),
  };
}
