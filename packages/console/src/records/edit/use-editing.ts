import type { AnyCollection, Collection } from '@typed-collections/client';
import { useEffect, useMemo } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { titleOfRecord } from '../../values/title-of-record.js';
import { writtenLocale } from '../../values/written-locale.js';
import { isSystemField } from '../grid/columns/columns.js';
import type { GridRecord } from '../window/page-slot.js';
import { readWhole } from './model/records.js';
import { refitted } from './model/refitted.js';
import { type EditedRecord, type StagedCell, withCells } from './model/staged-edits.js';
import type { TypedColumn } from './model/typed-text.js';
import { type Saving, useSaving } from './use-saving.js';
import { type Staged, useStagedStore } from './use-staged-store.js';

/** How records are edited. Nothing of it is there for people who may only read. */
export interface Editing extends Staged {
  readonly saving: Saving;
  /** The column of a field; undefined if the field cannot be edited. */
  readonly columnOf: (field: string) => TypedColumn | undefined;
  /** A record as it was read, for changes of it. */
  readonly edited: (record: Readonly<Record<string, unknown>>) => EditedRecord;
  readonly stage: (cells: readonly StagedCell[]) => void;
  /** A record whose value of a field is whole. Values that the grid has cut are read. */
  readonly wholeValue: (record: GridRecord, field: string) => Promise<WholeValue>;
}

interface WholeValue {
  readonly whole: GridRecord;
  readonly before: unknown;
}

interface EditingOptions {
  readonly info: CollectionInfo;
  readonly collection: Collection<AnyCollection>;
  readonly onWritten: (ids: readonly string[]) => Promise<void>;
}

/** Undefined for people who may not write. */
export function useEditing({ info, collection, onWritten }: EditingOptions): Editing | undefined {
  const { collection_id: id, schema, my_rights: rights } = info;
  const { store, state, uncertain, alone } = useStagedStore(id);
  const saving = useSaving({ collection, store, uncertain, alone, onWritten });
  const model = useMemo(
    () => ({
      columnOf: (field: string): TypedColumn | undefined => columnOf(schema, field),
      edited: (record: Readonly<Record<string, unknown>>): EditedRecord => ({
        kind: 'updated',
        id: String(record._id),
        title: titleOfRecord(record, schema),
        etag: String(record._etag),
      }),
      stage: (cells: readonly StagedCell[]) => store.change(rows => withCells(rows, cells)),
      wholeValue: async (record: GridRecord, field: string): Promise<WholeValue> => {
        if (record._cut?.includes(field) !== true) return { whole: record, before: record[field] };
        const [read] = await readWhole(collection, [record._id], [field]);
        const whole = { ...record, ...read };
        return { whole, before: whole[field] };
      },
    }),
    [store, schema, collection],
  );
  useEffect(() => {
    const { rows } = store.getState();
    const now = refitted(rows, model.columnOf, writtenLocale());
    if (now !== rows) store.replace(now);
  }, [store, model]);
  return rights.includes('write') ? { store, state, saving, ...model } : undefined;
}

/** A field whose name is a path or an operator for the service cannot be set by its name. */
function columnOf(schema: CollectionInfo['schema'], field: string): TypedColumn | undefined {
  const column = Object.hasOwn(schema, field) ? schema[field] : undefined;
  if (column !== undefined) return { type: column.type, isNullable: column.nullable };
  if (field === '' || isSystemField(field) || /^\$|\./.test(field)) return undefined;
  return { type: 'flexible', isNullable: true };
}
