import { type ColumnDefinition, declaredColumn } from '../../storage/collection-shape.js';
import type { IndexSet } from '../../storage/index-build.js';
import type { Collection } from '../collection.entity.js';
import type { ColumnView } from '../collections.dto.js';
import type { ColumnChangeView, IndexSetView, SchemaView } from './schema.dto.js';

/** Schema, indexes and uniques of a collection as clients see them. */
export function schemaView(collection: Collection): SchemaView {
  const columns = Object.entries(collection.columns);
  return {
    collection_id: collection.id,
    schema: Object.fromEntries(columns.map(([name, column]) => [name, columnView(column)])),
    ...indexSetView(collection),
  };
}

/** Only what clients see of a set. */
export function indexSetView({ indexes, uniques }: IndexSet): IndexSetView {
  const view = (definitions: IndexSet['indexes']) =>
    definitions.map(({ properties }) => ({ properties: [...properties] }));
  return { indexes: view(indexes), uniques: view(uniques) };
}

/** The columns that differ, in the order of the changed schema. */
export function columnChanges(before: Collection, after: Collection): ColumnChangeView[] {
  return Object.entries(after.columns).flatMap(([column, definition]) => {
    const known = declaredColumn(before.columns, column);
    if (known?.type === definition.type && known.nullable === definition.nullable) return [];
    return [{ column, before: known ? columnView(known) : null, after: columnView(definition) }];
  });
}

function columnView({ type, nullable }: ColumnDefinition): ColumnView {
  return { type, nullable };
}
